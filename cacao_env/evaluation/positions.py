"""Cacao Positions: what an agent loses in positions in which agents disagree, judged beforehand.

A whole game is mostly luck, so many are needed to tell good agents apart.  Here each placement is
compared with the best one, by values that were found once with many playouts (docs/positions.md; as in
Depreli's study of backgammon programs).  An agent is asked once a position, which takes seconds for a
network.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agent import RANDOM, Agent, AgentError, decider, seat_seed
from ..agent import ask as ask_agent
from ..engine.options import PLAYERS, Options
from ..engine.sources import engine_version
from ..files import read_json
from ..game import Game
from ..provenance import provenance
from ..tables import DataTable
from .intervals import LEVEL, ranged, resampled_means
from .matches import Progress
from .workers import Do, do_all, load_versions

FORMAT, VERSION = "cacao-positions", 1
FILE = Path(__file__).with_name("positions.json.gz")
STAGES = ("opening", "middle", "end")  # thirds of a game's placements
SUBSET = 100  # positions for slow agents, the first in the file
AT_ONCE = 64  # positions that an agent is asked for in one call
NOTHING = 0.05  # gold; a smaller loss is none, because the values are no better known
FORMS = {"gold": "z.3f", "win": "z.1%", "best": ".0%"}  # of figures in print, by name
UNITS = {"gold": 0.01, "win": 0.001}  # of a loss in the file


@dataclass(frozen=True)
class JudgedPosition:
    """A placement to choose, and what each choice loses against the best one, in gold and win shares.

    ``errors``: standard errors of the losses in gold of the placements that were judged longest,
    which are the first ones.  ``by_referee``: their losses in gold by each referee alone.
    """

    number: int
    options: Options
    seed: int  # of the deal
    actions: list[int]
    stage: int
    chosen: dict[str, int]  # by the agents that were asked when the file was made
    placements: list[int]
    gold: list[float]
    win: list[float]
    errors: list[float]
    by_referee: list[list[float]]

    def game(self) -> Game:
        """Replay the position; ValueError if its actions are not legal."""
        game = Game.deal(self.options, self.seed)
        for action in self.actions:
            game.play(action)
        if game.phase != "place" or set(self.placements) != set(game.legal_actions().tolist()):
            raise ValueError(f"position {self.number} does not follow from its deal and actions")
        return game


def read_positions(subset: int | None = None) -> list[JudgedPosition]:
    """Return the positions that come with the package, or the first ones."""
    rows = json.loads(gzip.decompress(FILE.read_bytes()))["positions"][:subset]
    return [_position(number, row) for number, row in enumerate(rows)]


def _position(number: int, row: Mapping[str, Any]) -> JudgedPosition:
    losses: dict[str, Any] = {unit: [scale * x for x in row[unit]] for unit, scale in UNITS.items()}
    same = {key: row[key] for key in ("seed", "actions", "stage", "chosen", "placements")}
    return JudgedPosition(
        number=number,
        options=Options(row["players"], row["volcanoes"]),
        errors=[UNITS["gold"] * x for x in row["errors"]],
        by_referee=[[UNITS["gold"] * x for x in one] for one in row["by_referee"]],
        **same,
        **losses,
    )


@dataclass(frozen=True)
class Answer:
    """An agent's choice in a position and what it loses."""

    number: int
    action: int
    gold: float
    win: float
    by_referee: list[float] | None  # None if the choice is not among those that were judged longest
    own: bool = True  # False if a random move was made for the agent


def _asker(specs: Mapping[str, str], seed: int) -> Do[Sequence[JudgedPosition], list[Answer]]:
    """Return what asks an agent of its own."""
    [agent] = load_versions(specs)

    def answers(positions: Sequence[JudgedPosition], progress: Progress) -> list[Answer]:
        seen, memory = [], []
        for one in positions:
            game = one.game()
            # A copy with the hidden tiles dealt again: no agent sees the true deal.
            seen.append(game.determinise(decider(game), one.number))
            seats = (agent.name,) * game.num_players
            of_seat = seat_seed(seed, one.number, one.options, seats, decider(game))
            memory.append(agent.begin(of_seat))
        actions = ask_agent(agent, seen, memory)
        progress(len(actions))
        own = [RANDOM not in agent.notes(one).get("counts", {}) for one in memory]
        try:
            return [answer_of(*one) for one in zip(positions, actions, own, strict=True)]
        except ValueError as error:
            raise AgentError(f"{agent.name} in {error}") from None

    return answers


def answer_of(one: JudgedPosition, action: int, own: bool) -> Answer:
    """Return what an action loses; ValueError if it is not legal."""
    if action not in one.placements:
        raise ValueError(f"position {one.number}: illegal action {action}")
    place = one.placements.index(action)
    longest = place < len(one.errors)
    by_referee = [losses[place] for losses in one.by_referee] if longest else None
    return Answer(one.number, int(action), one.gold[place], one.win[place], by_referee, own)


def ask(
    spec: str,
    agent: Agent,
    positions: Sequence[JudgedPosition],
    seed: int,
    workers: int,
    progress: Progress,
) -> list[Answer]:
    """Ask an agent, which ``spec`` names, about the positions that it plays; in their order."""
    asked = [one for one in positions if agent.supports(one.options)]
    parts = [asked[first : first + AT_ONCE] for first in range(0, len(asked), AT_ONCE)]
    todo = {f"positions {some[0].number} to {some[-1].number}": some for some in parts}
    make = partial(_asker, {spec: agent.version}, seed)
    with closing(do_all(todo, make, workers, progress)) as answers:
        found = [answer for some in answers for answer in some]
    return sorted(found, key=lambda answer: answer.number)


# --- Figures --------------------------------------------------------------------------------------


def figures(positions: Sequence[JudgedPosition], answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return what is lost a position, in all, by players and by stage, with 95 % intervals."""
    found = {one.number: one for one in positions}
    kinds: dict[tuple[int, int], list[Answer]] = {}  # by players and stage, -1 for all
    for answer in answers:
        position = found[answer.number]
        players = position.options.num_players
        for kind in ((-1, -1), (players, -1), (players, position.stage)):
            kinds.setdefault(kind, []).append(answer)
    rows = []
    for players, stage in sorted(kinds):
        own = kinds[players, stage]
        losses = np.array([[one.gold, one.win, one.gold < NOTHING] for one in own], np.float64)
        low, high = np.percentile(resampled_means(losses), LEVEL, axis=0)
        mean = losses.mean(0)
        row: dict[str, Any] = {
            "players": None if players < 0 else players,
            "stage": None if stage < 0 else STAGES[stage],
            "positions": len(own),
        }
        for k, name in enumerate(FORMS):
            row |= {name: mean[k], f"{name}_low": low[k], f"{name}_high": high[k]}
        rows.append(row)
    return rows


def document(
    agent: Agent, positions: Sequence[JudgedPosition], answers: Sequence[Answer], seed: int
) -> dict[str, Any]:
    """Return all figures as plain data, as ``--json`` writes them."""
    return {
        "format": f"{FORMAT}-result",
        "version": VERSION,
        "agent": {agent.name: agent.version},
        "sha256": _checksum(),
        "seed": seed,
        "engine": engine_version(),
        "rows": figures(positions, answers),
        "answers": [asdict(answer) for answer in answers],
        **provenance(),
    }


def read_answers(path: Path) -> list[Any]:
    """Read one agent's document, or a list of them, from a file; ValueError for another file."""
    data = read_json(path, "answers to Cacao Positions")
    every = data if isinstance(data, list) and data else [data]
    for one in every:
        if not isinstance(one, dict) or one.get("format") != f"{FORMAT}-result":
            raise ValueError(f"{path} is not a file of answers to Cacao Positions")
        if one.get("sha256") != _checksum():
            raise ValueError(f"{path} has answers to another file of positions")
    return every


def _checksum() -> str:
    return hashlib.sha256(FILE.read_bytes()).hexdigest()


def helped(every: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence for each agent for which random moves were made, one a line."""
    return "\n".join(
        f"{agent}: {own:,} of {len(data['answers']):,} moves are its own, the others random."
        for data in every
        for agent in data["agent"]
        if (own := sum(one["own"] for one in data["answers"])) < len(data["answers"])
    )


def ranking(every: Sequence[Mapping[str, Any]]) -> DataTable:
    """Return a table of several agents' documents, the agent that loses least first.

    Agents are compared in the positions that all of them play, and by each referee in those of them in
    which the choices of both were judged longest.
    """
    found = [{one["number"]: one for one in data["answers"]} for data in every]
    common = sorted(set.intersection(*(set(one) for one in found)))
    lost = [np.array([one[number]["gold"] for number in common]) for one in found]
    rows: list[tuple[Any, ...]] = []
    order = sorted(range(len(every)), key=lambda k: float(lost[k].mean()))
    for above, this in zip([None, *order], order):
        gain = by_referee = ""
        if above is not None:
            gain = _mean(lost[this] - lost[above], "+z.3f")
            two = [
                [one[number]["by_referee"] for number in common]
                for one in (found[this], found[above])
            ]
            gains = [np.subtract(*pair) for pair in zip(*two) if all(pair)]
            by_referee = " / ".join(f"{gain:+z.3f}" for gain in np.mean(gains, 0)) if gains else ""
        players = {
            row["players"]: f"{row['gold']:z.3f}"
            for row in every[this]["rows"]
            if row["stage"] is None
        }
        rows.append(
            (
                *(*every[this]["agent"], _mean(lost[this], "z.3f"), gain, by_referee),
                *(players.get(n, "") for n in PLAYERS),
            )
        )
    head = ("agent", "gold lost", "more than above", "by referee", "2 players", "3", "4")
    return DataTable(head, rows, "llrrrrr")


def _mean(values: npt.NDArray[np.float64], form: str) -> str:
    low, high = np.percentile(resampled_means(values), LEVEL)
    return ranged(values.mean(), low, high, form)


def show(data: Mapping[str, Any]) -> str:
    """Return the figures as text."""
    head = ("players", "stage", "positions", "gold lost", "win share lost", "nothing lost")
    cells = []
    for row in data["rows"]:
        ranges = [
            ranged(row[name], row[f"{name}_low"], row[f"{name}_high"], form)
            for name, form in FORMS.items()
        ]
        kind = row["players"] or "all", row["stage"] or "all", f"{row['positions']:,}"
        cells.append((*kind, *ranges))
    return DataTable(head, cells, "llr").text()
