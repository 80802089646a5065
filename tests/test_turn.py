"""``decisions="turn"``: placements are asked, and greedy's policy makes the rest of the turn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cacao_env import Game, cacao_v0
from cacao_env.engine import symmetry as sym
from cacao_env.engine.state import TURN
from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames
from cacao_env.greedy.choices import CHOICES, GREEDY_WEIGHTS, score_actions
from cacao_env.greedy.turn import late_choice, unasked
from cacao_env.record import check, record_of
from tests.games import STYLES, positions
from tests.reference.records import check_record
from tests.test_hidden_information import scramble
from tests.test_symmetry import image_of_game

games = {
    "players": st.integers(2, 4),
    "volcanoes": st.booleans(),
    "style": st.sampled_from(sorted(STYLES)),
    "seed": st.integers(0, 2**32),
}


@given(**games)
def test_only_placements_are_asked_and_the_game_is_the_same(players, volcanoes, style, seed):
    rng = np.random.default_rng(seed)
    game = Game.new(players, seed, volcanoes=volcanoes, decisions="turn")
    for position in positions(game, rng, STYLES[style]):
        assert position.over or position.phase == "place"
    assert game.ply <= game.turn
    # The record has every move, marks those that were made for the player, and replays.
    record = record_of(game)
    assert record["rules"]["decisions"] == "turn"
    assert check(record).scores() == game.scores()
    asked = [entry for entry in record["moves"] if not entry.get("auto")]
    assert len(asked) == game.ply
    assert {entry["move"][0] for entry in asked} <= {"place", "overbuild"}
    assert Game.from_json(game.to_json()) == game
    undone = game.clone()
    undone.undo()
    undone.play(game.history[-1])
    assert undone == game


@given(**games)
def test_the_policy_takes_a_best_choice_and_sees_nothing_hidden(players, volcanoes, style, seed):
    rng = np.random.default_rng(seed)
    game = Game.new(players, seed, volcanoes=volcanoes, decisions="explicit")
    choices = np.empty(1, CHOICES)
    for position in positions(game, rng, STYLES[style]):
        if position.phase not in ("fill", "act"):
            continue
        chosen = int(late_choice(position.state))
        score_actions(choices[0], position.state, GREEDY_WEIGHTS)
        count = int(choices[0].count)
        values = dict(zip(choices[0].ids[:count].tolist(), choices[0].values[:count].tolist()))
        assert values[chosen] >= max(values.values()) - 1e-9
        for viewer in range(players):
            other = scramble(position, viewer, rng)
            assert late_choice(other.state) == chosen
            assert unasked(other.state, TURN) == unasked(position.state, TURN)


@given(g=st.integers(1, 7), **games)
def test_images_of_a_position_have_the_images_of_its_choices(g, players, volcanoes, style, seed):
    same_choices_in_images(g, players, volcanoes, style, seed)


@pytest.mark.parametrize("seed", range(8))
def test_images_of_the_same_games_every_time(seed):
    for g in range(1, 8):
        same_choices_in_images(g, 2, True, "crowd", seed)


def same_choices_in_images(g, players, volcanoes, style, seed):
    rng = np.random.default_rng(seed)
    game = Game.new(players, seed, volcanoes=volcanoes, decisions="explicit")
    for position in positions(game, rng, STYLES[style]):
        if position.phase not in ("fill", "act"):
            continue
        seat, size = position.seat, position.table_size
        image = image_of_game(g, position)
        chosen, mirrored = int(late_choice(position.state)), int(late_choice(image.state))
        seen = position.observation(seat)
        expected = sym.transform_action(g, chosen, seen, players, size)
        if mirrored == expected:
            continue
        # Only where the table around the tile is its own image does another choice look the same.
        ends = []
        for one, action in ((image, mirrored), (image, expected)):
            after = one.clone()
            after.play(action)  # of two equal tiles either may be laid first
            while after.turn == one.turn and after.phase in ("fill", "act"):
                after.play(int(late_choice(after.state)))
            ends.append(sorted(after.scores()))
        assert ends[0] == ends[1]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_environment_plays_the_same_game(players):
    rng = np.random.default_rng(players)
    env = cacao_v0.raw_env(num_players=players, decisions="turn")
    env.reset(seed=5)
    game = Game.new(players, 5, decisions="turn")
    while not game.over:
        assert env.game == game
        assert env.agent_selection == f"player_{game.seat}"
        action = int(rng.choice(game.legal_actions()))
        env.step(action)
        game.play(action)
    assert env.infos["player_0"]["score"] == game.scores()[0]
    batch = VectorGames(3, num_players=players, decisions="turn", table_size=15, seed=1)
    versus = VersusGames(3, "greedy", num_players=players, decisions="turn", table_size=15, seed=1)
    ended = 0
    for _ in range(60):
        assert (batch.states["phase"] == 0).all()
        assert (versus.states["phase"] == 0).all()
        batch.step(batch.sample())
        versus.step(versus.action_masks.argmax(axis=1))
        ended += int(batch.terminations.sum()) + int(versus.dones.sum())
    assert ended > 0


def test_the_reference_reads_records_of_turns():
    rng = np.random.default_rng(0)
    game = Game.new(3, 4, volcanoes=True, decisions="turn")
    for _ in positions(game, rng):
        pass
    check_record(record_of(game))
