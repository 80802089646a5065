"""Make data sets: play games on all cores or on Ray, a shard after another, and write the card.

The games of a shard that is not finished lie in a store of :mod:`cacao_env.evaluation.store`, so the
same command resumes after an interruption.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..agents.agent import Agent, require
from ..agents.registry import load_agent, load_agents
from ..checks import as_int
from ..engine.options import Options
from ..engine.progress import Bar
from ..engine.rng import new_rng
from ..evaluation import SEED
from ..evaluation.blocks import Chunk, Pairing, pairings
from ..evaluation.luck import luck_by_action
from ..evaluation.matches import ChunkResult, Progress, Timing, choices, replayed
from ..evaluation.store import Store, check_same, engine_version
from ..evaluation.workers import ChunkPlayer, do_all
from ..files import write_whole
from ..provenance import provenance
from .storage import MANIFEST, read_manifest, table_of, write_games, write_manifest

TIERS = {
    "random": ("random",),
    "greedy": ("greedy",),
    "forastero": ("forastero",),
    "expert": ("trinitario",),
    "search": ("trinitario+search:sims=64",),
}
SHARD, LARGE_SHARD = 10_000, 1000  # deals of a file; of one whose games have candidates
AT_ONCE = 50  # deals that a worker plays side by side
BEST = 8  # candidates of a decision


@dataclass(frozen=True)
class Recipe:
    """What determines the games of a data set.

    One agent plays itself.  Several play themselves and each other, in turn.  ``candidates``: the agent
    whose best eight are stored with each decision, and the scores that it expects; ``luck``: whether
    that is stored.
    """

    agents: tuple[str, ...]
    options: Options
    deals: int
    seed: int = SEED
    candidates: str = ""
    luck: bool = False

    def settings(self, agents: Sequence[Agent]) -> dict[str, Any]:
        """Return the recipe with the versions of all agents and the engine's, as plain data."""
        names = {agent.name: agent.version for agent in agents}
        judge = load_agent(self.candidates).version if self.candidates else ""
        settings = asdict(self) | {"agents": names, "judge": judge, "engine": engine_version()}
        return settings | {"options": self.options.as_dict()}

    def pairs(self, names: Sequence[str]) -> list[Pairing]:
        """Return the pairings; chunks take them in turn."""
        alone = [Pairing(self.options, name, name) for name in names]
        return alone + pairings(names, [self.options])

    def shards(self, names: Sequence[str]) -> Iterator[list[Chunk]]:
        """Yield the chunks of each file."""
        pairs, size = self.pairs(names), LARGE_SHARD if self.candidates else SHARD
        step = min(AT_ONCE, max(1, self.deals // len(pairs)))  # so that all pairs play
        for first in range(0, self.deals, size):
            last = min(first + size, self.deals)
            yield [
                Chunk(pairs[begin // step % len(pairs)], begin, min(step, last - begin))
                for begin in range(first, last, step)
            ]


class GamePlayer(ChunkPlayer):
    """Play chunks, and note candidates and luck with the games."""

    def __init__(
        self, specs: Mapping[str, str], seed: int, candidates: str = "", luck: bool = False
    ) -> None:
        super().__init__(specs, seed, luck=False)
        self._judge = load_agent(candidates) if candidates else None
        self._notes_luck = luck

    def __call__(self, chunk: Chunk, progress: Progress) -> ChunkResult:
        """Play a chunk."""
        result = super().__call__(chunk, progress)
        games = []
        for played in result.games:
            game, note = replayed(chunk.pairing, played, self.seed), dict[str, Any]()
            if self._judge:
                memory = new_rng(played.block)
                found = [self._judge.analyze(one, memory) for one, _ in choices(game)]
                note["candidates"] = [one.actions[:BEST].tolist() for one in found]
                note["utilities"] = [_floats(one.values, BEST) for one in found]
                note["expected_scores"] = [_floats(one.scores) for one in found]
            if self._notes_luck:
                note["luck"] = [_floats(own.reshape(-1)) for own in luck_by_action(game)]
            games.append(replace(played, notes=[note] if note else []))
        return replace(result, games=games)


def _floats(values: Any, most: int | None = None) -> list[float]:
    return [] if values is None else [round(float(value), 6) for value in values[:most]]


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
    as_int("--seed", recipe.seed, -(2**63), 2**63 - recipe.deals)
    agents = load_agents(recipe.agents, allow_code=True)
    for agent in (*agents, *([load_agent(recipe.candidates)] if recipe.candidates else ())):
        require(agent, recipe.options)
    settings, names = recipe.settings(agents), [agent.name for agent in agents]
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder)
        check_same(folder, manifest["recipe"], settings)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        manifest = {**about, "recipe": settings, "files": [], **provenance()}
        write_manifest(folder, manifest)
    shards = list(recipe.shards(names))
    done = len(manifest["files"])
    games = [sum(chunk.num_games for chunk in shard) for shard in shards]
    specs = dict(zip(recipe.agents, (agent.version for agent in agents)))
    player = partial(GamePlayer, specs, recipe.seed, recipe.candidates, recipe.luck)
    with Bar(total=sum(games), initial=sum(games[:done]), unit="game") as bar:
        for number, shard in list(enumerate(shards))[done:]:
            home = folder / f".games-{number:05}"
            with closing(Store(home, settings)) as store:
                todo = {one.key: one for one in shard if one.key not in store.results}
                bar.update(games[number] - sum(chunk.num_games for chunk in todo.values()))
                with closing(do_all(todo, player, workers, bar.update, ray)) as results:
                    for result in results:
                        store.add(result)
                every = [store.results[chunk.key] for chunk in shard]
            name = f"games-{number:05}.parquet"
            table = table_of(columns(every, recipe, settings["agents"]))
            parts = write_games(folder / name, table)
            timings = {
                one: asdict(sum((x.timings[one] for x in every if one in x.timings), Timing()))
                for one in names
            }
            entry = {"name": name, "games": games[number], "parts": parts, "timings": timings}
            manifest["files"].append(entry)
            write_manifest(folder, manifest)
            shutil.rmtree(home)
    write_whole(folder / "README.md", card(manifest))
    return manifest


def columns(
    results: Sequence[ChunkResult], recipe: Recipe, versions: Mapping[str, str]
) -> dict[str, list[Any]]:
    """Return the columns of the games, lists of plain data by name."""
    games = [(result.pairing, played) for result in results for played in result.games]
    seats = [pairing.seats(played.rotation) for pairing, played in games]
    found: dict[str, list[Any]] = {
        "deal": [recipe.seed + played.block for _, played in games],
        **{key: [value] * len(games) for key, value in recipe.options.as_dict().items()},
        "agents": seats,
        "versions": [[versions[name] for name in names] for names in seats],
        **{
            key: [getattr(played, key) for _, played in games]
            for key in ("actions", "scores", "cacao", "win_shares")
        },
    }
    for key in games[0][1].notes[0] if games[0][1].notes else ():
        found[key] = [played.notes[0][key] for _, played in games]
    return found


def games_of(manifest: Mapping[str, Any]) -> int:
    """Return the number of games in a manifest's files."""
    return sum(entry["games"] for entry in manifest["files"])


def card(manifest: Mapping[str, Any]) -> str:
    """Return the card of a data set, as the Hugging Face Hub shows it."""
    recipe, games = manifest["recipe"], games_of(manifest)
    options = Options.from_dict(recipe["options"])
    size = next((name for most, name in _SIZES if games < most), "n>1B")
    agents = "\n".join(
        f"- `{name}`, version `{v or 'none'}`" for name, v in recipe["agents"].items()
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

`{MANIFEST}` has the recipe and a checksum of every part of the files; `cacao data check` replays all.
"""


_STEPS = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")
_SIZES = [(1000, "n<1K")] + [  # as the Hub names them
    (10 ** (3 + k), f"{_STEPS[k - 1]}<n<{_STEPS[k]}") for k in range(1, len(_STEPS))
]
