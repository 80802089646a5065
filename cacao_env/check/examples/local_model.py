"""SmolLM2 in a seat: TRL trains it for ten steps on three games of greedy, and it is measured.

So the doors for language models are tried with a model that reads and writes tokens of its own.
"""

import os
import tempfile
from pathlib import Path

from cacao_env.check.examples.finetune import finetune
from cacao_env.check.examples.smollm import Speaker, load
from cacao_env.check.examples.stand_in import serving
from cacao_env.cli import main as cacao


def main():
    """Make games, train, serve, evaluate."""
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        assert (
            cacao(
                ["data", "make", "greedy", "--decisions", "turn", "--deals", "3", "--out", "games"]
            )
            == 0
        )
        assert cacao(["data", "export", "games", "--as", "chat", "--out", "games.jsonl"]) == 0
        losses = finetune(Path("games.jsonl"), Path("model"), [10_000], max_steps=10)
        print("loss of ten steps:", losses)
        with serving(Speaker(*load())) as address:
            os.environ |= {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
            model = "llm:smollm2,primer=0,tries=1,failure=random"
            command = f"evaluate {model} random --decisions turn --deals 1 --workers 1 --no-luck"
            assert cacao(command.split()) == 0
        os.chdir("/")


if __name__ == "__main__":
    main()
