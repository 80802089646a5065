"""Results that check themselves: a data set of an agent's games, its manifest and a commitment.

Whoever submits publishes the SHA-256 of a phrase before the games, the *commitment*.  The phrase, and
a public text that nobody knew then, give the seed of the deals, so nobody chose them.  ``check`` reads
nothing but data: it replays all games, counts them again, and refuses what does not follow.

What it can't find out: whether a seat saw more than its own hand, who really chose the moves, and,
without a public text, whether somebody tried several phrases before one was published.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..agents.agent import decider, seat_seed
from ..agents.registry import load_agent
from ..checks import as_float, as_int, check_type, in_short
from ..engine.options import Options
from ..envs.tasks import Task, task_named
from ..evaluation import figures
from ..evaluation.blocks import Pairing
from ..evaluation.luck import luck_by_action
from ..evaluation.matches import ChunkResult, PlayedGame, Timing, choices
from ..evaluation.ratings import deviation_ratings
from ..evaluation.store import check_same
from ..evaluation.summary import summarise
from ..game import Game
from ..gold_sources import gold_by_source
from ..provenance import machine
from ..tables import DataTable
from . import load
from .games import Games
from .make import Recipe, make
from .storage import MANIFEST, DataError, read_manifest, reading, write_manifest

KEY = "submission"  # in the manifest
SAMPLE = 0.01  # of the games, whose opponents and luck are computed again
WORDS = 500  # characters of a text in a manifest
FASTEST = 1e-7  # seconds of a decision
_TEXTS = ("agent", "opponent", "what", "task", "phrase", "public", "commitment")


def commitment(phrase: str) -> str:
    """Return what is published before the games."""
    return hashlib.sha256(phrase.encode()).hexdigest()


def seed_of(phrase: str, public: str = "") -> int:
    """Return the seed of the first deal."""
    digest = hashlib.sha256(f"{phrase}\n{public}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 2


def submit(
    folder: Path,
    agent: str,
    task: Task,
    deals: int,
    phrase: str,
    public: str = "",
    what: str = "",
    workers: int = 1,
) -> dict[str, Any]:
    """Play an agent against a task's opponents, in every seat of each deal; return the manifest.

    ``what`` says what the agent is.  The same call resumes.
    """
    names = load_agent(agent, allow_code=True).name, task.opponent().name
    recipe = Recipe(
        (agent, task.opponents), task.options, deals, seed_of(phrase, public), "", True, True
    )
    texts = dict(zip(_TEXTS, (*names, what, task.id, phrase, public, commitment(phrase))))
    _check_texts(texts)
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder)
        check_same(folder, manifest.get(KEY, {}), texts)
        if workers > manifest[KEY]["workers"]:  # the check bounds the time of all moves by it
            manifest[KEY]["workers"] = workers
            write_manifest(folder, manifest)
    about = texts | {"workers": workers, "started": _now()}
    make(folder, recipe, {"name": f"{names[0]} in {task.id}", KEY: about}, workers)
    manifest = read_manifest(folder)
    if "finished" not in manifest[KEY]:
        manifest[KEY] |= {"finished": _now(), "machine": machine()}
        write_manifest(folder, manifest)
    return manifest


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True)
class Submission:
    """A submission that was checked: its texts, and its games as one part of an evaluation."""

    about: dict[str, Any]
    recipe: dict[str, Any]
    result: ChunkResult
    sampled: int  # games whose opponents and luck were computed again


def check(
    folder: str | Path, published: str | None = None, share: float = SAMPLE, threads: int = 1
) -> Submission:
    """Check a submission, and count its games again; DataError says what does not follow.

    ``published``: the commitment as it was published.  ``share`` of the games whose opponents and luck
    are computed again, at least one.  No code of the submission is run.
    """
    share, games = as_float("share", share, 0, 1), load(folder)
    if KEY not in games.manifest:
        raise DataError(f"{folder} is a data set, expected a submission")
    games.check(threads)
    with reading("a submission", folder):
        return _checked(games, published, share)


def _checked(games: Games, published: str | None, share: float) -> Submission:
    about, recipe = games.manifest[KEY], games.manifest["recipe"]
    texts = {key: about[key] for key in (*_TEXTS, "started", "finished")}
    _check_texts(texts | {"processor": about["machine"]["processor"]})
    task = task_named(about["task"])
    if (task.options, task.opponents) != (games.options, about["opponent"]):
        raise DataError(
            f"the games are {games.options} against {about['opponent']}; {task.name} has "
            f"{task.options} against {task.opponents}"
        )
    _check_commitment(about, recipe, published)
    pairing = Pairing(games.options, about["agent"], about["opponent"])
    if list(recipe["agents"]) != [about["agent"], about["opponent"]]:
        raise DataError(f"the recipe's agents are {in_short(recipe['agents'])}")
    _check_order(games, pairing, recipe)
    timings = _timings(games, pairing, about)
    luck = _luck(games)
    played = list(_played(games, pairing, recipe["seed"], luck))
    # Which games are sampled depends on all of them, so nobody knew it when they were played.
    digest = hashlib.sha256(repr(games.manifest["files"]).encode()).digest()
    rng = np.random.default_rng(list(digest))
    sample = rng.permutation(len(games))[: max(1, math.ceil(share * len(games)))].tolist()
    opponent = task.opponent()
    if opponent.version != recipe["agents"][opponent.name]:
        raise DataError(f"{opponent.name} has another version here, so its moves can't be checked")
    for number in sample:
        game = games[number]
        _check_opponent(number, game, opponent, pairing, played[number], recipe["seed"])
        found = luck_by_action(game).sum(0)
        if not np.allclose(found, luck[number], atol=1e-3):
            raise DataError(f"game {number}: its luck is not that of its draws")
    key = f"{about['agent']} / {about['opponent']}"
    return Submission(about, recipe, ChunkResult(key, pairing, played, timings), len(sample))


def _check_texts(texts: Mapping[str, Any]) -> None:
    for key, text in texts.items():
        check_type(key, text, str, "text")
        if len(text) > WORDS or not text.isprintable() or "|" in text:
            raise DataError(
                f"{key} is {in_short(text)}, expected a line without |, of {WORDS} or less"
            )


def _check_commitment(
    about: Mapping[str, Any], recipe: Mapping[str, Any], published: str | None
) -> None:
    if commitment(about["phrase"]) != about["commitment"]:
        raise DataError("the phrase is not the one of the commitment")
    if published is not None and published != about["commitment"]:
        raise DataError("the commitment is not the one that was published")
    if recipe["seed"] != seed_of(about["phrase"], about["public"]):
        raise DataError("the seed does not follow from the phrase: the deals were chosen")


def _check_order(games: Games, pairing: Pairing, recipe: Mapping[str, Any]) -> None:
    """Raise DataError unless the games are those of the deals, each once, with seats exchanged."""
    deals, seats = as_int("deals", recipe["deals"], 1), pairing.rotations
    if len(games) != deals * seats:
        raise DataError(f"there are {len(games)} games, expected {seats} of each of {deals} deals")
    wanted = np.repeat(np.arange(recipe["seed"], recipe["seed"] + deals), seats)
    wrong = np.flatnonzero(games.deals != wanted)
    if len(wrong):
        raise DataError(f"game {wrong[0]} has deal {games.deals[wrong[0]]}, not {wanted[wrong[0]]}")
    expected = [list(pairing.seats(rotation)) for rotation in range(seats)]
    for number, names in enumerate(games.table.column("agents").to_pylist()):
        if names != expected[number % seats]:
            raise DataError(f"game {number} has seats {names}, expected {expected[number % seats]}")


def _timings(games: Games, pairing: Pairing, about: Mapping[str, Any]) -> dict[str, Timing]:
    """Return the times a move, unless they can't be."""
    own = np.arange(len(games)) % pairing.rotations
    mine = games.seats == np.repeat(own, np.diff(games.first))
    counts = {pairing.agent: int(mine.sum()), pairing.opponent: int((~mine).sum())}
    total = {name: Timing() for name in counts}
    for entry in games.manifest["files"]:
        for name in counts:
            row = Timing(**entry["timings"][name])
            for key in ("seconds", "placement_seconds"):
                as_float(key, getattr(row, key), 0, 1e12)
            total[name] += row
    begin, end = (datetime.fromisoformat(about[key]) for key in ("started", "finished"))
    elapsed = (end - begin).total_seconds() * as_int("workers", about["workers"], 1, 1_000_000)
    for name, timing in total.items():
        if timing.decisions != counts[name] or not 0 <= timing.placements <= timing.decisions:
            raise DataError(f"{name} has {timing.decisions} times, but {counts[name]} decisions")
        if (
            not FASTEST * timing.decisions <= timing.seconds
            or timing.placement_seconds > timing.seconds
        ):
            raise DataError(f"{name} can't have made its decisions in {timing.seconds} seconds")
    if sum(timing.seconds for timing in total.values()) > elapsed:
        raise DataError(f"the moves took longer than the {elapsed:.1f} seconds of all workers")
    return total


def _luck(games: Games) -> Any:
    """Return the stated luck of each game, float64 (G, 2, players)."""
    rows, players = games.table.column("luck").combine_chunks(), games.options.num_players
    if not np.array_equal(rows.value_lengths().to_numpy(), np.diff(games.first)):
        raise DataError("luck has not a value for each action")
    inner = rows.flatten()
    if set(inner.value_lengths().unique().to_pylist()) - {2 * players}:
        raise DataError("luck has not two values for each seat")
    values = inner.flatten().to_numpy(zero_copy_only=False)
    if not np.isfinite(values).all():
        raise DataError("luck has numbers that are not finite")
    rows = values.astype(np.float64).reshape(-1, 2 * players)
    sums = np.add.reduceat(rows, games.first[:-1])
    return sums.reshape(-1, 2, players)


def _played(games: Games, pairing: Pairing, seed: int, luck: Any) -> list[PlayedGame]:
    """Return the games as an evaluation counts them."""
    found, players = [], games.options.num_players
    for number, first in enumerate(games.first[:-1].tolist()):
        part = slice(first, games.first[number + 1])
        actions, seats = games.actions[part].tolist(), games.seats[part]
        states = Game.deal(games.options, int(games.deals[number])).states
        found.append(
            PlayedGame(
                int(games.deals[number]) - seed,
                number % pairing.rotations,
                games.scores[number].tolist(),
                games.cacao[number].tolist(),
                games.win_shares[number].astype(float).tolist(),
                gold_by_source(Game(states, actions)).tolist(),
                np.bincount(seats, minlength=players).tolist(),
                actions,
                luck[number].tolist(),
            )
        )
    return found


def _check_opponent(
    number: int, game: Game, opponent: Any, pairing: Pairing, played: PlayedGame, seed: int
) -> None:
    """Raise DataError unless the opponent's moves are those that it chooses here."""
    names = pairing.seats(played.rotation)
    memory = [
        opponent.begin(seat_seed(seed, played.block, pairing.options, names, seat))
        for seat in range(len(names))
    ]
    for ply, (now, action) in enumerate(choices(game)):
        seat = decider(now)
        if names[seat] == pairing.opponent:
            seen = now.determinise(seat, played.block)
            if opponent.act([seen], [memory[seat]])[0] != action:
                raise DataError(
                    f"game {number}, action number {ply + 1}: {opponent.name} chooses otherwise here"
                )


def shown(one: Submission) -> str:
    """Return the result of a submission, and what it proves, in words."""
    (first, *_) = summarise([one.about["agent"], one.about["opponent"]], [one.result]).results
    count, public = len(one.result.games), one.about["public"]
    return (
        f"{first.line()}\n{count} games replayed, opponents and luck computed again in {one.sampled}; "
        f"deals by a phrase{' and a public text' * bool(public)}, commitment "
        f"{one.about['commitment'][:16]}...\nNot proven: who chose the moves, and what it saw"
        + ("" if public else ", and that only one phrase was tried")
    )


def check_all(folder: Path, share: float = SAMPLE, threads: int = 1) -> list[Submission]:
    """Check every submission in a folder; DataError names the first that is refused."""
    found = []
    for path in sorted(folder.glob("*/dataset.json")):
        try:
            found.append(check(path.parent, None, share, threads))
        except DataError as error:
            raise DataError(f"{path.parent.name}: {error}") from None
    if not found:
        raise DataError(f"there is no submission in {folder}")
    keys = [(one.result.pairing, one.about["agent"]) for one in found]
    for number, key in enumerate(keys):
        if key in keys[:number]:
            raise DataError(f"{key[1]} is submitted twice against {key[0].opponent}")
    return found


def board(submissions: Sequence[Submission]) -> str:
    """Return the leaderboard of checked submissions in Markdown, tables for each kind of game."""
    parts = []
    for options, names, some in sorted(_that_met(submissions), key=lambda group: str(group[:2])):
        found = [one.result for one in some]
        # Deals of different submissions have nothing in common, so their numbers differ too.
        data = asdict(summarise(names, [_apart(one, k) for k, one in enumerate(found)]))
        opponents = {one.pairing.opponent for one in found}
        rows = [
            (
                *(one.about["agent"], one.about["what"], one.about["task"], one.recipe["deals"]),
                *(one.about["machine"]["processor"], one.about["commitment"][:12]),
            )
            for one in some
        ]
        head = ("agent", "what it is", "task", "deals", "hardware", "commitment")
        tables = (
            figures.ratings(data),
            hardest_mix(data["results"], opponents, options.num_players),
            figures.cross_table(data),
            DataTable(head, rows, "lllrl"),
        )
        title = f"### {options.num_players} players{', with volcanoes' * options.volcanoes}"
        title += f", decisions {options.decisions}" * (options.decisions != "auto")
        parts += [title, *(table.markdown() for table in tables)]
    return "\n\n".join(parts) + "\n"


def _that_met(
    submissions: Sequence[Submission],
) -> list[tuple[Options, list[str], list[Submission]]]:
    """Group submissions: the same kind of game, and agents that met, perhaps through others."""
    groups: list[tuple[Options, list[str], list[Submission]]] = []
    for one in submissions:
        pairing = one.result.pairing
        names, some = [pairing.agent, pairing.opponent], [one]
        for group in [g for g in groups if g[0] == pairing.options and set(g[1]) & set(names)]:
            groups.remove(group)
            names, some = [*group[1], *names], [*group[2], *some]
        groups.append((pairing.options, list(dict.fromkeys(names)), some))
    return groups


def _apart(result: ChunkResult, number: int) -> ChunkResult:
    games = [replace(one, block=one.block + number * 10**9) for one in result.games]
    return replace(result, games=games)


def hardest_mix(
    results: Sequence[Mapping[str, Any]], opponents: Iterable[str], players: int
) -> DataTable:
    """Return the ratings that copies can't change, of the agents that met every opponent."""
    shares = {(row["agent"], row["opponent"]): row["win_share"] for row in results}
    opponents = sorted(opponents)
    shares |= {(name, name): 1 / players for name in opponents}
    agents = {agent for agent, _ in shares}
    rated = sorted(a for a in agents if all((a, b) in shares for b in opponents))
    matrix = np.array([[shares[a, b] for b in opponents] for a in rated])
    found = deviation_ratings(matrix.reshape(len(rated), len(opponents)))
    rows = sorted(zip(rated, found.tolist()), key=lambda row: -row[1])
    head = ("agent", f"wins of the hardest mix of {', '.join(opponents)}")
    return DataTable(head, [(name, f"{share:.1%}") for name, share in rows])
