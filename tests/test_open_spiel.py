"""OpenSpiel's game is the same game: draws by chance nodes, information as a seat has it."""

from collections import Counter

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

from cacao_env.engine.observation import scale
from cacao_env.engine.tiles import JUNGLE_KINDS, WORKER_KINDS
from cacao_env.envs import open_spiel
from cacao_env.game import Game
from tests.reference.oracle import jungle_supply, worker_supply

OPTIONS = [
    {"players": 2},
    {"players": 3, "volcanoes": True},
    {"players": 4, "table_size": 15},
    {"players": 2, "decisions": "explicit", "volcanoes": True},
]


def load(options):
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return pyspiel.load_game(f"python_cacao({text})")


def walk(game, seed):
    """Play at random; yields the state before every step and at the end."""
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes())
            state.apply_action(int(rng.choice(outcomes, p=odds)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
    yield state


def at_decision(game, seed, plies):
    """The first decision after so many steps, or the end."""
    for step, state in enumerate(walk(game, seed)):
        if step >= plies and not state.is_chance_node():
            return state
    return state


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_open_spiel_s_simulation_test_passes(options):
    pyspiel.random_sim_test(load(options), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_is_the_game_of_those_draws(options):
    """What chance drew, dealt from the start, and the same actions give the same game."""
    for seed in range(3):
        *_, state = walk(load(options), seed)
        given = {key: value for key, value in options.items() if key != "players"}
        game = Game.from_draws(*state.game.draws, **given)
        for action in state.game.history:
            game.play(action)
        assert game == state.game
        assert game.over
        winners = game.winners()
        returns = state.returns()
        assert sum(returns) == pytest.approx(0)
        assert {seat for seat, x in enumerate(returns) if x == max(returns)} == set(winners)


def test_tiles_are_drawn_when_they_are_drawn_and_no_sooner():
    game = load({"players": 3})
    drawn, decided = 0, False
    for state in walk(game, 1):
        if state.is_chance_node():
            drawn += 1
        else:
            if not decided:
                assert drawn == 3 * 3 + 2, "the hands and the display"
            decided = True
            known = sum(int(n) for n in state.game.state.drawn) + int(state.game.state.jungle_drawn)
            assert drawn == known
    assert drawn <= game.max_chance_nodes_in_history()


def test_draws_are_as_likely_as_the_tiles_that_are_left():
    kinds = [*WORKER_KINDS, *JUNGLE_KINDS]
    box = {0: worker_supply(2), 1: worker_supply(2), open_spiel.JUNGLE: jungle_supply(2, False)}
    for state in walk(load({"players": 2}), 3):
        drawn = Counter(state.events)
        left = [
            Counter({kind: n - drawn[who, f"draws {kind}"] for kind, n in supply.items()})
            for who, supply in box.items()
        ]
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            odds = {kinds[outcome]: chance for outcome, chance in outcomes}
            shares = [{k: n / sum(one.values()) for k, n in (+one).items()} for one in left]
            assert any(odds == pytest.approx(share) for share in shares)
            for outcome, _ in outcomes:
                assert state.action_to_string(-1, outcome) == f"draw {kinds[outcome]}"
    assert not any(sum(one.values()) for one in left)


@pytest.mark.parametrize("options", OPTIONS[:3], ids=str)
def test_resampled_states_look_the_same_to_the_player_and_differ_elsewhere(options):
    game = load(options)
    resample = open_spiel.resampler(0)
    differ = 0
    for plies in (20, 45, 70, 95):
        state = at_decision(game, plies, plies)
        if state.is_terminal():
            continue
        player = state.current_player()
        for _ in range(3):
            other = resample(state, player)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.legal_actions() == state.legal_actions()
            tensors = [one.information_state_tensor(player) for one in (other, state)]
            np.testing.assert_array_equal(*tensors)
            differ += other.game.draws != state.game.draws
    assert differ > 3


def test_players_are_told_what_they_know_and_nothing_else():
    state = at_decision(load({"players": 2}), 5, 40)
    for player in (0, 1):
        text = state.information_state_string(player)
        own = [words for who, words in state.events if who == player]
        others = [who for who, _ in state.events if who == 1 - player]
        assert text.count("draws") == len(own) + sum(
            who == open_spiel.JUNGLE and words.startswith("draws") for who, words in state.events
        )
        assert others
        tensor = np.array(state.observation_tensor(player), np.float32)
        expected = state.game.observation(player) * scale(2, state.game.table_size)
        np.testing.assert_allclose(tensor, expected, rtol=1e-6)


def test_illegal_actions_are_refused():
    state = at_decision(load({"players": 2}), 5, 30)
    before = str(state)
    illegal = next(a for a in range(3000) if a not in state.legal_actions())
    with pytest.raises(ValueError, match=f"illegal action {illegal}"):
        state._apply_action(illegal)
    assert str(state) == before
    state.apply_action(state.legal_actions()[0])


def test_nothing_is_shown_before_the_first_draw():
    game = load({"players": 2})
    state, observer = game.new_initial_state(), game.make_py_observer()
    observer.set_from(state, 0)
    assert not observer.tensor.any()
    assert observer.string_from(state, 0) == ""
    with pytest.raises(ValueError, match="tiles are being drawn"):
        state.resampled(0, open_spiel.new_rng(0))
    with pytest.raises(ValueError, match="outcome 99 is no kind"):
        state.apply_action(99)
