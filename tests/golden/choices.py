"""What agents choose.  ``python -m tests.golden.choices`` writes it again.

Agents compute the same everywhere, to the last bit.  A change in their choices is a change of an agent,
of a network's features or of a search: read the diff.
"""

import json
from pathlib import Path

from cacao_env.agents.bots import BOTS
from cacao_env.registry import load_agent
from tests.games import played

FILE = Path(__file__).parent / "choices.json"
AGENTS = ("random", "greedy", "mc:sims=16,top=6", "trinitario", "trinitario+search:sims=24")


def choices(name: str) -> list[str]:
    """The move in each of many positions, by networks with the weights of the best three."""
    agent, found = load_agent(name), []
    for seed in range(72):
        game = played(2 + seed % 3, seed, seed, volcanoes=seed % 2 == 1)
        if game.over or not agent.supports(game.options):
            continue
        line = f"{seed}: {game.text(agent.act([game], [agent.begin(seed)])[0])}"
        if name.partition(":")[0] not in BOTS:
            weights = agent.analyze(game, agent.begin(seed)).weights[:3]
            line += "".join(f" {weight:.3f}" for weight in weights)
        found.append(line)
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: choices(name) for name in AGENTS}, indent=1) + "\n")
