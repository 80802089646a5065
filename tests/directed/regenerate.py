"""``python -m tests.directed.regenerate`` searches the directed games and writes them.

A plan plays many games of the reference, with deals and players that lead to its events, and keeps
the few games that have all of them.  ``tests/directed/expected.py`` names moves of these records: a
change of the search means to work out its rows again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cacao_env.record import dumps, record_of
from tests.adapter import EngineTable
from tests.directed.events import Cell, Move, Position, acts, covers_at_temples, temples, triples
from tests.reference.box import WATER_TRACK, beside, deal, opposite, workers_on_edge
from tests.reference.oracle import Oracle
from tests.reference.styles import cells_filled_by, choose_move
from tests.rules.scenario import temple_counts

FOLDER = Path(__file__).parent


# --- What a move leads to -------------------------------------------------------------------


def faced(oracle: Oracle, move: Move) -> list[tuple[str, Cell, int]]:
    """(kind, cell, workers) at each jungle tile beside a tile to be placed."""
    return [
        (oracle.jungle[cell][0], cell, workers_on_edge(move[1], move[2], edge))
        for edge in range(4)
        if (cell := beside(move[3], edge)) in oracle.jungle
    ]


def filled(oracle: Oracle, move: Move) -> list[Cell]:
    """The cells that a placement would fill if there were enough tiles."""
    if move[0] != "place" or not oracle.display:
        return []
    return cells_filled_by(set(oracle.workers), set(oracle.jungle), move[3])


def waiting(oracle: Oracle, cell: Cell) -> int:
    """How many workers face an empty jungle cell."""
    sides = [(oracle.workers.get(beside(cell, edge)), opposite(edge)) for edge in range(4)]
    return sum(workers_on_edge(tile[1], tile[2], edge) for tile, edge in sides if tile)


# --- Players: the value of a move -----------------------------------------------------------


def carry_water(oracle: Oracle, move: Move, rng: random.Random) -> float:
    """Carry water nearly to the end; wait there until water is laid before one's workers."""
    if move[0] == "act":
        water, workers = beside(move[1], move[2]), move[3]
        if oracle.jungle[water][0] != "water":
            return 0
        short = oracle.water_step[oracle.player] + workers < len(WATER_TRACK) - 1
        return workers if short or water in oracle.filled_cells else -workers
    if move[0] == "fill":
        return waiting(oracle, move[3]) * (1 if move[1] == "water" else -1)
    value = sum(workers for kind, _, workers in faced(oracle, move) if kind == "water")
    if "water" in oracle.display:
        own = sum(workers_on_edge(move[1], move[2], edge) for edge in range(4))
        own -= sum(workers for _, _, workers in faced(oracle, move))
        value += 2 * (own + sum(waiting(oracle, cell) for cell in filled(oracle, move)))
    return value


def build_over(oracle: Oracle, move: Move, rng: random.Random) -> float:
    """Lay the jungle quickly, collect sun tokens, then overbuild wherever there is much to do."""
    if move[0] == "act":
        kind = oracle.jungle[beside(move[1], move[2])][0]
        if kind.startswith("market") and oracle.jungle_pile:  # keep some cacao
            return rng.choice((move[3], -move[3]))
        return move[3] + 4 * kind.startswith("plantation")
    if move[0] == "fill":
        return 0
    near = faced(oracle, move)
    if move[0] == "overbuild":
        return 5 + 2 * sum(workers > 0 for _, _, workers in near) + rng.randrange(4)
    suns = sum(workers for kind, _, workers in near if kind == "sun")
    return len(filled(oracle, move)) + (2 * suns if oracle.sun[oracle.player] < 3 else -suns)


def share_temples(oracle: Oracle, move: Move, rng: random.Random) -> float:
    """Come with as many workers as somebody else has to temples where one has none."""
    if move[0] == "act":
        return 0
    if move[0] == "fill":
        return move[1] == "temple"
    value = 0.5 * len(filled(oracle, move))
    for kind, cell, workers in faced(oracle, move):
        if kind == "temple" and workers:
            counts = temple_counts({"gold": oracle.gold, "workers": oracle.workers}, cell)
            value += (4 if counts[oracle.player] == 0 else -3) + 3 * (workers in counts)
    return value


# --- Events: what a plan wants ---------------------------------------------------------------


def last_water(positions: list[Position], moves: list[Move]) -> Iterator[Hashable]:
    """How the last field is reached: route, and workers or "beyond" if there were more than needed."""
    for act in acts(positions, moves):
        if act.kind == "water" and act.workers and act.before[3] != act.after[3] == WATER_TRACK[-1]:
            exact = WATER_TRACK.index(act.before[3]) + act.workers == len(WATER_TRACK) - 1
            yield act.route, act.workers if exact else "beyond"
        elif act.kind == "water" and act.workers > 1 and act.before[3] == WATER_TRACK[-1]:
            yield "there already"


def overbuilt(positions: list[Position], moves: list[Move]) -> Iterator[Hashable]:
    """Beside which tiles somebody overbuilds so that something changes."""
    for act in acts(positions, moves):
        if act.route == "over" and act.before != act.after:
            yield act.kind
    if any(covers_at_temples(positions, moves)):
        yield "temple"


def temple_ties(positions: list[Position], moves: list[Move]) -> Iterator[Hashable]:
    """How many players are first, second and so on at a temple when the game ends."""
    for counts in temples(positions[-1]).values():
        present = [n for n in counts if n]
        yield tuple(present.count(n) for n in sorted(set(present), reverse=True))


def last_tiles(positions: list[Position], moves: list[Move]) -> Iterator[Hashable]:
    """How many tiles are left for three cells; a later tile comes beside a cell that stays empty."""
    for number, cells, left in triples(positions, moves):
        empty = set(cells) - set(positions[-1]["jungle"])
        near = {move[3] for move in moves[number + 1 :] if move[0] == "place"}
        if left <= 3 and (left == 3 or any(near & {beside(c, e) for e in range(4)} for c in empty)):
            yield left


class Plan(NamedTuple):
    """Games of one option, their players, the kinds drawn early, and the events wanted."""

    players: int
    volcanoes: bool
    value: Callable[[Oracle, Move, random.Random], float] | None  # None: they close a ring
    early: list[str]
    events: Callable[[list[Position], list[Move]], Iterator[Hashable]]
    wanted: set[Hashable]
    games: int


KINDS = {"plantation1", "plantation2", "market2", "market3", "market4", "water", "sun", "temple"}
PLANS = {
    "three-cells-2p": Plan(2, False, None, [], last_tiles, {3}, 200),
    "three-cells-3p": Plan(3, True, None, [], last_tiles, {2}, 200),
    "three-cells-4p": Plan(4, True, None, [], last_tiles, {1}, 200),
    "last-water": Plan(
        3,
        True,
        carry_water,
        ["water", "water"],
        last_water,
        {(route, n) for route in ("own", "laid", "other") for n in (1, 2, 3, "beyond")}
        | {("earlier", 2), ("over", 2), "there already"},
        3000,
    ),
    "overbuilt-3p": Plan(3, False, build_over, ["sun"], overbuilt, KINDS | {"mine1", "mine2"}, 300),
    "overbuilt-4p": Plan(
        4, True, build_over, ["sun"], overbuilt, KINDS | {"volcano+2", "volcano-1"}, 300
    ),
    "temples-2p": Plan(2, True, share_temples, ["temple"] * 3, temple_ties, {(1,), (2,)}, 500),
    "temples-3p": Plan(
        3, True, share_temples, ["temple"] * 3, temple_ties, {(2,), (2, 1), (3,), (1, 2)}, 500
    ),
    "temples-4p": Plan(
        4,
        True,
        share_temples,
        ["temple"] * 3,
        temple_ties,
        {(2, 1), (2, 2), (3, 1), (4,), (1, 2), (1, 3), (1, 2, 1)},
        1000,
    ),
}


# --- The search ------------------------------------------------------------------------------


def play(plan: Plan, seed: int) -> tuple[tuple[Any, ...], list[Position], list[Move]]:
    """One game: its deal, the positions and the moves."""
    rng = random.Random(seed)
    workers, jungle = deal(plan.players, plan.volcanoes, rng)
    for kind in plan.early:
        jungle.remove(kind)
        jungle.insert(rng.randrange(6), kind)
    oracle = Oracle(plan.players, plan.volcanoes, workers, jungle)
    whims = rng.choice((0, 0.1, 0.3))
    positions, moves = [oracle.position()], []
    while oracle.player is not None:
        legal = oracle.legal_moves()
        if plan.value is None:
            move = choose_move(oracle, "triple", rng, seed)
        elif rng.random() < whims:
            move = rng.choice(legal)
        else:
            values = [(plan.value(oracle, one, rng), rng.random()) for one in legal]
            move = legal[values.index(max(values))]
        oracle.play(move)
        moves.append(move)
        positions.append(oracle.position())
    return (plan.players, plan.volcanoes, workers, jungle), positions, moves


def search(plan: Plan) -> Iterator[EngineTable]:
    """Few games that have all events of a plan: always the one that adds most."""
    games = [
        (table, moves, set(plan.events(positions, moves)))
        for table, positions, moves in (play(plan, seed) for seed in range(plan.games))
    ]
    missing = set(plan.wanted)
    while missing:
        table, moves, events = max(games, key=lambda game: len(game[2] & missing))
        assert events & missing, f"no game has {missing}"
        missing -= events
        engine = EngineTable(*table)
        for move in moves:
            engine.play(move)
        yield engine


if __name__ == "__main__":
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, plan in PLANS.items():
        for number, engine in enumerate(search(plan), 1):
            text = dumps(record_of(engine.game))
            (FOLDER / f"{name}-{number}.json").write_text(text, encoding="utf-8")
