"""What an observation says, read back through its layout and compared with the game."""

from collections import Counter

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine.observation import CHANNELS, SCORE_OFFSET, decode, scale
from cacao_env.engine.tiles import JUNGLE_KINDS, WATER_TRACK, WORKER_KINDS
from tests.adapter import EngineTable
from tests.games import STYLES, positions

SIDES = ("north", "east", "south", "west")
PHASES = ("place", "fill", "act", "over")


def channel_names(players: int) -> list[str]:
    return [name for name, _, _ in CHANNELS] + [f"owner_{seat}" for seat in range(players)]


class Looked(dict):
    """A dictionary that knows which of its entries were read."""

    def __init__(self, entries):
        super().__init__(entries)
        self.read = set()

    def __getitem__(self, name):
        self.read.add(name)
        return super().__getitem__(name)


@pytest.mark.parametrize(
    ("players", "volcanoes", "style", "size"),
    [(2, True, "overbuild", None), (3, False, "random", 15), (4, True, "crowd", None)],
)
def test_every_slice_says_what_the_game_says(players, volcanoes, style, size):
    rng = np.random.default_rng(players)
    game = Game.new(players, 5, volcanoes=volcanoes, decisions="explicit", table_size=size)
    names = channel_names(players)
    for _ in positions(game, rng, STYLES[style]):
        position = EngineTable.of(game).position()
        state = game.state
        corner = int(state.corner_row), int(state.corner_column)
        for viewer in range(players):
            raw = game.observation(viewer)
            seen = Looked(decode(raw, players, game.table_size))
            order = [(viewer + i) % players for i in range(players)]
            board = dict(zip(names, seen["board"]))
            expected = expected_board(game, position, corner, order)
            for name, plane in board.items():
                np.testing.assert_array_equal(plane, expected[name], err_msg=name)
            assert seen["phase"].tolist() == [game.phase == p for p in PHASES]
            assert seen["turn"].tolist() == [game.turn]
            assert seen["active"].tolist() == [int(seat == game.active) for seat in order]
            assert seen["deciding"].tolist() == [int(seat == game.seat) for seat in order]
            lying = Counter()
            for owner, *_, under in position["workers"].values():
                lying[owner] += 1 + (under is not None)
            assert seen["tiles_left"].tolist() == [int(state.tiles_each) - lying[s] for s in order]
            count = lambda tiles: [tiles.count(kind) for kind in WORKER_KINDS]  # noqa: E731
            assert seen["hand"].tolist() == count(position["hands"][viewer])
            assert seen["pile"].tolist() == count(position["piles"][viewer])
            assert seen["hand_sizes"].tolist() == [len(position["hands"][s]) for s in order[1:]]
            assert seen["unseen"].tolist() == [
                count(position["hands"][s] + position["piles"][s]) for s in order[1:]
            ]
            for name in ("gold", "cacao", "sun"):
                assert seen[name].tolist() == [position[name][s] for s in order]
            water = [int(WATER_TRACK[field]) for field in seen["water"]]
            assert water == [position["water"][s] for s in order]
            scores = game.scores()
            assert (seen["score"].astype(int) - SCORE_OFFSET).tolist() == [scores[s] for s in order]
            slots = [JUNGLE_KINDS[int(np.argmax(slot))] for slot in seen["display"] if slot.any()]
            assert sorted(slots) == position["display"]
            pile = [position["jungle_pile"].count(kind) for kind in JUNGLE_KINDS]
            assert seen["jungle_pile"].tolist() == pile
            assert seen["overbuilding"].tolist() == [int(state.overbuilding)]
            own = [workers for owner, _, _, workers in position["pending"] if owner == viewer]
            assert seen["pending"].sum() == sum(own)
            assert seen.read == set(seen), "a slice is not checked here"
            assert (raw <= 1 / scale(players, game.table_size) + 1e-3).all()


def expected_board(game, position, corner, order):
    size, players = game.table_size, game.num_players
    planes = {name: np.zeros((size, size), int) for name in channel_names(players)}

    def put(name, cell, value=1):
        planes[name][cell[0] - corner[0], cell[1] - corner[1]] = value

    for cell, (kind, orientation) in position["jungle"].items():
        if kind == "volcano":
            put("volcano_north_south" if orientation else "volcano_east_west", cell)
        else:
            name = kind.rstrip("1234")
            put(name, cell, int(kind[-1]) if kind[-1].isdigit() else 1)
        for step in ((-1, 0), (0, 1), (1, 0), (0, -1)):
            beside = cell[0] + step[0], cell[1] + step[1]
            if beside not in position["workers"]:
                put("open", beside)
    for cell, (owner, kind, turn, under) in position["workers"].items():
        for side in range(4):
            put(f"workers_{SIDES[(side + turn) % 4]}", cell, int(kind[side]))
        put(f"owner_{order.index(owner)}", cell)
        if under is not None:
            put("overbuilt", cell)
    for cell in position["to_fill"]:
        put("to_fill", cell)
    placed = [m for _, _, m in game.elementary_moves() if m[0] in ("place", "overbuild")]
    if placed:
        put("last", placed[-1][3])
    return planes


@pytest.mark.parametrize("players", [2, 3, 4])
def test_decode_gives_back_every_number_that_was_scaled(players):
    factors = scale(players, 15)
    for number in range(256):
        raw = np.minimum(number, np.rint(1 / factors)).astype(np.uint8)
        scaled = (raw * factors).astype(np.float32)
        assert scaled.max() <= 1
        found, expected = decode(scaled, players, 15), decode(raw, players, 15)
        assert all(np.array_equal(found[name], expected[name]) for name in expected), number


def test_decode_keeps_batches_and_refuses_other_sizes():
    game = Game.new(2, 0, table_size=15)
    batch = np.stack([game.observation(0), game.observation(1)])
    assert decode(batch, 2, 15)["board"].shape == (2, 18, 15, 15)
    for other in (batch.astype(np.int64), batch.tolist()):  # raw as well
        for name, part in decode(other, 2, 15).items():
            np.testing.assert_array_equal(part, decode(batch, 2, 15)[name])
    with pytest.raises(ValueError, match="an observation for 3 players and table size 15 has"):
        decode(batch, 3, 15)
