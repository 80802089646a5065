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


def by_kind(tiles: list[str]) -> list[int]:
    return [tiles.count(kind) for kind in WORKER_KINDS]


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
            seen = decode(raw, players, game.table_size)
            order = [(viewer + i) % players for i in range(players)]
            board = expected_board(game, position, corner, order)
            for name, plane in zip(names, seen.pop("board")):
                np.testing.assert_array_equal(plane, board[name], err_msg=name)
            slots = [JUNGLE_KINDS[int(slot.argmax())] for slot in seen.pop("display") if slot.any()]
            assert sorted(slots) == position["display"]
            own = [workers for owner, _, _, workers in position["pending"] if owner == viewer]
            assert seen.pop("pending").sum() == sum(own)
            lying = Counter()
            for owner, *_, under in position["workers"].values():
                lying[owner] += 1 + (under is not None)
            hands, piles, others = position["hands"], position["piles"], order[1:]
            goods = {good: [position[good][s] for s in order] for good in ("gold", "cacao", "sun")}
            assert {name: part.tolist() for name, part in seen.items()} == goods | {
                "phase": [game.phase == phase for phase in PHASES],
                "turn": [game.turn],
                "active": [seat == game.active for seat in order],
                "deciding": [seat == game.seat for seat in order],
                "tiles_left": [int(state.tiles_each) - lying[seat] for seat in order],
                "hand": by_kind(hands[viewer]),
                "pile": by_kind(piles[viewer]),
                "hand_sizes": [len(hands[seat]) for seat in others],
                "unseen": [by_kind(hands[seat] + piles[seat]) for seat in others],
                "water": [list(WATER_TRACK).index(position["water"][seat]) for seat in order],
                "score": [game.scores()[seat] + SCORE_OFFSET for seat in order],
                "jungle_pile": [position["jungle_pile"].count(kind) for kind in JUNGLE_KINDS],
                "overbuilding": [int(state.overbuilding)],
            }
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
