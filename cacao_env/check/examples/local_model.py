"""SmolLM2 in a seat: TRL trains it for ten steps on three games of greedy, and it is measured.

So the doors for language models are tried with a model that reads and writes tokens of its own.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cacao_env.check.examples.finetune import finetune
from cacao_env.check.examples.smollm import Speaker, load
from cacao_env.check.examples.stand_in import serving


def cacao(*words):
    """Run a command."""
    subprocess.run([sys.executable, "-m", "cacao_env", *words], check=True)


def main():
    """Make games, train, serve, evaluate."""
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        cacao("data", "make", "greedy", "--decisions", "turn", "--deals", "3", "--out", "games")
        cacao("data", "export", "games", "--as", "chat", "--out", "games.jsonl")
        losses = finetune(Path("games.jsonl"), Path("model"), [10_000], max_steps=10, batch=1)
        print("loss of ten steps:", losses)
        with serving(Speaker(*load())) as address:
            os.environ |= {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
            model = "llm:smollm2,primer=0,tries=1,failure=random"
            how = ("--decisions", "turn", "--deals", "1", "--workers", "1", "--no-luck")
            cacao("evaluate", model, "random", *how)
        os.chdir("/")


if __name__ == "__main__":
    main()
