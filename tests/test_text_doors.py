"""Every door shows what the others show, and stand-ins for models play through it."""

from __future__ import annotations

import random

import pytest

from tests.text_doors import DOORS, installed
from tests.text_players import STYLES, Speak


def in_turn(style: str) -> Speak:
    """A stand-in whose every try at a position is another."""
    tries: dict[str, int] = {}

    def speak(prompt: str) -> str:
        tries[prompt] = tries.get(prompt, 0) + 1
        return STYLES[style](prompt + " " * tries[prompt])

    return speak


def test_a_player_of_textarena_sees_no_refusal_of_another():
    ta = pytest.importorskip("textarena")
    import cacao_env.text.textarena  # noqa: F401  # registers Cacao-v0

    env = ta.make("Cacao-v0", failure="random", tries=2)
    env.reset(num_players=2, seed=1)
    assert env.get_observation()[0] == 0
    env.step(action="I pass.")
    player, shown = env.get_observation()
    assert (player, "The reply states no move" in shown) == (0, True)
    env.step(action="I pass.")
    player, shown = env.get_observation()
    assert (player, "The reply states no move" in shown) == (1, False)
    assert env.state.game_info[0]["invalid_move"]
    assert not env.state.game_info[1]["invalid_move"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("door", DOORS)
def test_a_door_shows_the_same_and_plays_the_same_game(door, style):
    if not installed(door):
        pytest.skip(f"{DOORS[door][1]} is not installed")
    play, _, same = DOORS[door]
    random.seed(1)
    before = random.getstate()
    said, result = play(in_turn(style), 5, 3)
    if door in ("trl", "textarena"):  # others draw ids of requests
        assert random.getstate() == before
    random.seed(2)
    expected, shares = same(in_turn(style), 5, 3)
    assert said == expected
    if result is not None:
        assert result == pytest.approx(shares if isinstance(result, list) else shares[0])
