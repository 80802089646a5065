"""``decisions="turn"``: placements are asked, and greedy's policy makes the rest of the turn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cacao_env import Game
from cacao_env.engine import symmetry as sym
from cacao_env.engine.state import TURN
from cacao_env.greedy.choices import CHOICES, GREEDY_WEIGHTS, score_actions
from cacao_env.greedy.turn import late_choice, unasked
from cacao_env.record import check, record_of
from cacao_env.render.position import position_of
from tests.games import any_game, game_after, greedy_values
from tests.reference.records import check_record
from tests.test_hidden_information import scramble
from tests.test_symmetry import image_of_game


@given(any_game("turn"))
def test_only_placements_are_asked_and_the_game_is_the_same(deal):
    for game, _ in deal.positions():
        assert game.over or game.phase == "place"
    assert game.ply <= game.turn
    # The record has every move, marks those that were made for the player, and replays.
    record = record_of(game)
    assert record["rules"]["decisions"] == "turn"
    assert check(record).scores() == game.scores()
    check_record(record)
    asked = [entry for entry in record["moves"] if not entry.get("auto")]
    assert len(asked) == game.ply
    assert {entry["move"][0] for entry in asked} <= {"place", "overbuild"}
    assert Game.from_json(game.to_json()) == game
    undone = game.clone()
    undone.undo()
    undone.play(game.history[-1])
    assert undone == game


@given(any_game("explicit"))
def test_the_policy_takes_a_best_choice_and_sees_nothing_hidden(deal):
    for position, rng in deal.positions():
        if position.phase not in ("fill", "act"):
            continue
        chosen = int(late_choice(position.state))
        values = greedy_values(position)
        assert values[chosen] >= max(values.values()) - 1e-9
        for viewer in range(deal.players):
            other = scramble(position, viewer, rng)
            assert late_choice(other.state) == chosen
            assert unasked(other.state, TURN) == unasked(position.state, TURN)


@given(any_game("explicit"))
def test_an_action_is_worth_its_sales_and_the_best_that_follows(deal):
    """Gold of mines and volcanoes is left out: it is the same in any order."""
    choices = np.empty(1, CHOICES)[0]
    for position, _ in deal.positions():
        if position.phase != "act":
            continue
        seat, state = position.seat, position.state
        score_actions(choices, state, GREEDY_WEIGHTS)
        at_end, count = choices.look.cacao_worth, choices.count  # at_end: by the cacao that stays
        for action, value in zip(choices.ids[:count].tolist(), choices.values[:count]):
            after = game_after(position, action)
            sells = after.state.cacao[seat] < state.cacao[seat]
            sold = int(after.state.gold[seat] - state.gold[seat]) * sells
            goes_on = (after.phase, after.seat, after.turn) == ("act", seat, position.turn)
            kept = at_end[after.state.cacao[seat]]
            rest = max(greedy_values(after).values()) if goes_on else kept
            assert value == pytest.approx(sold + rest)


@given(any_game("explicit"), st.integers(1, 7))
def test_images_of_a_position_have_the_images_of_its_choices(deal, g):
    for position, _ in deal.positions():
        if position.phase not in ("fill", "act"):
            continue
        seat, size = position.seat, position.table_size
        image = image_of_game(g, position)
        chosen, mirrored = int(late_choice(position.state)), int(late_choice(image.state))
        expected = sym.transform_action(g, chosen, position.observation(seat), deal.players, size)
        # Of two equal tiles either may be laid first.  Otherwise another choice looks the same only
        # where the table around the tile is an image of itself.
        if mirrored != expected and end_of_turn(image, mirrored) != end_of_turn(image, expected):
            around = seen_from_the_last_tile(position)
            images = (image_of_game(h, position) for h in range(1, 8))
            assert around in [seen_from_the_last_tile(one) for one in images]


def end_of_turn(game, action):
    """The tiles on the table when a choice and greedy's others are made."""
    after = game.clone()
    after.play(action)
    while after.turn == game.turn and after.phase in ("fill", "act"):
        after.play(int(late_choice(after.state)))
    return {(tile["row"], tile["column"]): str(tile) for tile in position_of(after)["tiles"]}


def seen_from_the_last_tile(game):
    """What lies where, relative to the tile that was placed last."""
    tiles = position_of(game)["tiles"]
    [last] = [tile for tile in tiles if tile.get("last")]
    return {
        (tile.pop("row") - last["row"], tile.pop("column") - last["column"]): str(tile)
        for tile in map(dict, tiles)
    }
