"""Make data sets: play games on all cores or on Ray, a file after another, and write the card.

The same command resumes after an interruption.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..agent import Agent, require
from ..checks import as_int
from ..data.folder import GameFolder
from ..data.storage import MANIFEST, options_of
from ..engine.options import Options
from ..engine.progress import Bar
from ..engine.sources import engine_version
from ..files import write_whole
from ..registry import load_agents
from . import SEED
from .blocks import Chunk, Pairing, pairings
from .rows import rows_of
from .run import missing, versions_of
from .workers import chunk_player, do_all

SHARD = 10_000  # deals of a file
AT_ONCE = 50  # deals that a worker plays side by side
# As the Hub names them, by the digits of a number.
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")


@dataclass(frozen=True)
class Recipe:
    """What determines the games of a data set.

    One agent plays itself.  Several play themselves and each other, in turn.  ``luck``: whether that is
    stored.
    """

    agents: tuple[str, ...]
    options: Options
    deals: int
    seed: int = SEED
    luck: bool = False

    def settings(self, agents: Sequence[Agent]) -> dict[str, Any]:
        """Return the recipe with the versions of all agents and the engine's, as plain data."""
        options = [self.options.as_dict()]
        new = {"agents": versions_of(agents), "engine": engine_version(), "options": options}
        return asdict(self) | new

    def pairs(self, names: Sequence[str]) -> list[Pairing]:
        """Return the pairings; chunks take them in turn."""
        alone = [Pairing(self.options, name, name) for name in names]
        return alone + pairings(names, [self.options])

    def shards(self, names: Sequence[str]) -> Iterator[list[Chunk]]:
        """Yield the chunks of each file."""
        pairs = self.pairs(names)
        step = min(AT_ONCE, max(1, self.deals // len(pairs)))  # so that all pairs play
        for first in range(0, self.deals, SHARD):
            last = min(first + SHARD, self.deals)
            yield [
                Chunk(pairs[begin // step % len(pairs)], range(begin, min(begin + step, last)))
                for begin in range(first, last, step)
            ]


def make(
    folder: Path,
    recipe: Recipe,
    about: Mapping[str, Any],
    workers: int | None = 1,
    ray: str | None = None,
) -> dict[str, Any]:
    """Make a data set, or the rest of it, in a folder; return its manifest.

    ``about``: more keys of the manifest, the ``name`` among them.  ``ray``: the address of a cluster.
    ValueError if the folder holds another data set.
    """
    as_int("--deals", recipe.deals, 1)
    as_int("--seed", recipe.seed, 0, 2**63 - recipe.deals)
    agents = load_agents(recipe.agents, allow_code=True)
    for agent in agents:
        require(agent, recipe.options)
    settings, names = recipe.settings(agents), [agent.name for agent in agents]
    specs = dict(zip(recipe.agents, settings["agents"].values()))
    lucky = recipe.pairs(names) if recipe.luck else ()
    player = partial(chunk_player, specs, recipe.seed, lucky)
    shards = list(recipe.shards(names))
    total = sum(chunk.num_games for shard in shards for chunk in shard)
    with closing(GameFolder(folder, settings, about)) as kept, Bar(total=total, unit="game") as bar:
        for shard in shards:
            todo = [one for chunk in shard if (one := missing(chunk, recipe.seed, kept.keys))]
            bar.update(sum(one.num_games for one in shard) - sum(one.num_games for one in todo))
            jobs = {one.key: one for one in todo}
            with closing(do_all(jobs, player, workers, bar.update, ray)) as results:
                for result in results:
                    kept.add(rows_of(result, recipe.seed, settings["agents"], measured=False))
            kept.finish()
        manifest = kept.manifest
    write_whole(folder / "README.md", card(manifest))
    return manifest


def games_of(manifest: Mapping[str, Any]) -> int:
    """Return the number of games in a manifest's files."""
    return sum(entry["games"] for entry in manifest["files"])


def card(manifest: Mapping[str, Any]) -> str:
    """Return the card of a data set, as the Hugging Face Hub shows it."""
    settings, games = manifest["settings"], games_of(manifest)
    [options] = options_of(manifest)
    size = "n>1B" if games >= 10**9 else _SIZES[max(0, len(str(games)) - 3)]
    agents = "\n".join(
        f"- `{name}`, version `{v or 'none'}`" for name, v in settings["agents"].items()
    )
    return f"""---
license: mit
pretty_name: Cacao, {manifest["name"]}
tags: [reinforcement-learning, offline-rl, board-games, cacao-env]
size_categories: [{size}]
configs:
- config_name: default
  data_files: games-*.parquet
---

# {manifest["name"]}

{games:,} games of the board game Cacao: {options}, decisions "{options.decisions}".  Agents:

{agents}

A row is a game: its deal, a seed of cacao-env {manifest["versions"]["cacao-env"]}, its actions, and its
result.  cacao-env replays the games and computes what every seat saw:

```python
from cacao_env.data import load

games = load("PATH")  # of this folder, or its hf:// address
batch = next(games.decisions(observation="candidates", shuffle=0))
```

`{MANIFEST}` has the settings and a checksum of every part of the files; `cacao data check` replays all.
"""
