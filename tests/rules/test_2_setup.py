"""Section 2 of the rules page: what lies where before the first turn."""

import pytest

from tests.rules.scenario import START, shuffled_deal


@pytest.mark.parametrize("volcanoes", [False, True])
@pytest.mark.parametrize(
    ("num_players", "worker_tiles", "jungle_tiles"), [(2, 11, 19), (3, 10, 26), (4, 9, 26)]
)
def test_the_setup(table, num_players, worker_tiles, jungle_tiles, volcanoes):
    given = shuffled_deal(num_players, 1, volcanoes)
    _, _, draws, jungle = given
    assert len({str(tiles) for tiles in draws}) == num_players  # one order dealt to all would show
    game = table(*given)
    assert game.position() == {
        **{"player": 0, "phase": "place", "turn": 0, "jungle": START, "workers": {}},
        "hands": [sorted(tiles[:3]) for tiles in draws],
        "piles": [tiles[3:] for tiles in draws],
        **{"display": sorted(jungle[:2]), "jungle_pile": jungle[2:]},
        **{good: [0] * num_players for good in ("gold", "cacao", "sun")},
        **{"water": [-10] * num_players, "to_fill": [], "pending": []},
    }
    assert {move[0] for move in game.legal_moves()} == {"place"}
    assert [len(tiles) for tiles in draws] == [worker_tiles] * num_players
    assert len(jungle) == jungle_tiles
