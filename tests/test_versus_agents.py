"""Agents as the opponents in many games at once, one learner against them."""

import re
from copy import deepcopy

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agent import Agent
from cacao_env.engine.options import DECISIONS, Options
from cacao_env.envs.gym import CacaoEnv
from cacao_env.envs.opponents import NUM_COMPILED, Opponents
from cacao_env.envs.versus import VersusGames
from tests.agents_for_tests import Failing, Spy
from tests.games import as_dealt, played


class Scripted(Agent):
    """Calls a function with each game's observation and mask."""

    name = "scripted"

    def __init__(self, choose):
        self.choose = choose
        self.asked = []

    def act(self, games, memory):
        self.asked.append(len(games))
        return [
            self.choose(game.observation(game.seat), game.action_mask(), rng)
            for game, rng in zip(games, memory)
        ]


class Remembering(Agent):
    """Its memory has where in the game each of its decisions was."""

    name = "remembering"

    def begin(self, seed):
        return []

    def act(self, games, memory):
        for game, seen in zip(games, memory):
            now = int(game.state.ply)
            assert all(earlier < now for earlier in seen)
            seen.append(now)
        return [int(game.legal_actions()[0]) for game in games]


def first_legal(observation, mask, rng):
    return int(mask.argmax())


def test_no_agent_sees_the_true_deal_or_changes_the_game():
    """An Agent gets copies in which hidden tiles have been dealt again, as a wrapped object does."""

    class Thief(Spy):
        def act(self, games, memory):
            actions = super().act(games, memory)
            for game in games:
                game.state.gold[:] = 99
            return actions

    thief = Thief()
    games = VersusGames(20, thief, seed=4, seat=1)  # seat 0 has begun
    true = [games.game(g).draws for g in range(20)]
    assert sum(game.draws in true for game in thief.games[:20]) < 3
    assert games.states["gold"].max() < 99


def test_every_seat_of_every_game_has_a_memory_of_its_own():
    memories = {}

    def choose(observation, mask, rng):
        memories[id(rng)] = int(rng[0])
        return int(mask.argmax())

    games = VersusGames(5, Scripted(choose), num_players=3, seed=1, seat=0)
    for _ in range(6):
        games.step(games.action_masks.argmax(axis=1), deal=False)
    assert len(memories) == 10
    assert len(set(memories.values())) == 10


def test_an_agent_begins_every_game_with_a_new_memory():
    games = VersusGames(3, Remembering(), decisions="turn", seed=1, seat=0)
    ended = 0
    while ended < 6:
        games.step(games.action_masks.argmax(axis=1))
        ended += games.dones.sum()


def test_each_seat_has_the_opponent_that_was_named_for_it():
    one, two = Scripted(first_legal), Scripted(first_legal)
    games = VersusGames(1, [one, two], num_players=3, seed=0, seat=1, begin=False)
    games.reset(0)
    assert (bool(one.asked), bool(two.asked)) == (False, True)  # seat 0 sits two after seat 1
    for _ in range(10):
        games.step(games.action_masks.argmax(axis=1), deal=False)
    assert one.asked


@pytest.mark.parametrize("decisions", DECISIONS)
def test_opponents_see_how_their_positions_came_about(decisions):
    spy = Spy()
    games = VersusGames(2, spy, num_players=3, decisions=decisions, seed=0)
    games.start(1, played(3, 4, plies=9, decisions=decisions))
    for _ in range(6):
        games.step(games.action_masks.argmax(axis=1))
    for game in spy.games:
        again = as_dealt(game)
        for action in game.history:
            again.play(action)
        assert again == game
    assert max(game.ply for game in spy.games) > 9


def test_what_an_agent_may_not_do_is_named():
    def refused(words, agent, **options):
        with pytest.raises(ValueError, match=re.escape(words)):
            VersusGames(4, **({"opponents": agent, "seed": 0} | options))

    refused("game 0, seat 0, scripted: illegal action", Scripted(lambda o, mask, r: mask.argmin()))
    refused("game 0, seat 0, scripted: action is 'x'", Scripted(lambda o, mask, r: "x"))
    few = Scripted(first_legal)
    few.act = lambda games, memory: [int(game.legal_actions()[0]) for game in games[1:]]
    refused("scripted returned [", few)
    refused("from act, expected 2 actions", few)
    one = Scripted(first_legal)
    one.act = lambda games, memory: 5
    refused("scripted returned 5 from act, expected", one)
    refused("an opponent is <class", Scripted)
    two = Scripted(first_legal)
    two.players = (2,)
    refused("scripted plays with 2 players, not with 3 players", two, num_players=3)
    games = VersusGames(3, {"random": 1}, seed=0)
    before, actions = games.states.tobytes(), games.action_masks.argmax(axis=1)
    actions[2] = 99999  # the actions before it are legal
    with pytest.raises(ValueError, match="game 2, seat 1: illegal action 99999"):
        games.step(actions)
    with pytest.raises(ValueError, match="actions have shape"):
        games.step(actions[:2])
    assert games.states.tobytes() == before


def test_weights_are_shares_of_the_games():
    games = VersusGames(3000, {"random": 0.15, "greedy": 0.45, Scripted(first_legal): 0.4}, seed=0)
    shares = np.bincount(games.kinds, minlength=3) / 3000
    assert shares == pytest.approx([0.15, 0.45, 0.4], abs=0.04)
    plain = VersusGames(50, {"random": 1, "greedy": 3, Scripted(first_legal): 0}, seed=0)
    assert plain.kinds.max() < NUM_COMPILED


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt()], ids=repr)
def test_after_an_opponent_failed_nobody_plays_its_turn(error):
    agent = Failing()
    games = VersusGames(4, agent, seed=1, illegal="lose")
    agent.fails = error
    with pytest.raises(type(error)):
        games.step(games.action_masks.argmax(1))
    agent.fails = None
    for again in (
        lambda: games.step(games.action_masks.argmax(1)),
        lambda: games.deal(np.ones(4, np.bool_)),
        games.arrays,
    ):
        with pytest.raises(ValueError, match=r"a step was interrupted.*call reset\(\)"):
            again()
    games.reset(2)
    games.step(games.action_masks.argmax(1))
    assert not games.forfeits.any()


def test_an_environment_goes_on_after_an_opponent_failed():
    agent = Failing()
    env = CacaoEnv(agent, seat=0)
    env.reset(seed=1)
    agent.fails = RuntimeError("no")
    with pytest.raises(RuntimeError, match="no"):
        env.step(int(env.action_masks().argmax()))
    agent.fails = None
    with pytest.raises(ValueError, match="a step was interrupted"):
        env.step(int(env.action_masks().argmax()))
    env = deepcopy(env)
    with pytest.raises(ValueError, match="a step was interrupted"):
        env.step(0)
    env.reset()
    assert not env.step(int(env.action_masks().argmax()))[4]["illegal_action"]


def test_a_start_that_is_refused_changes_nothing():
    agent = Failing()
    games, game = VersusGames(2, agent, seed=1, seat=1), Game.new(2, seed=5)
    before = {name: array.copy() for name, array in games.arrays().items()}
    agent.fails = RuntimeError("no")
    with pytest.raises(RuntimeError, match="no"):
        games.start(0, game)
    agent.fails = None
    assert all(np.array_equal(array, before[name]) for name, array in games.arrays().items())
    games.step(games.action_masks.argmax(1))


def test_a_game_that_is_started_anew_begins_without_memories():
    games = VersusGames(1, Remembering(), seed=1, seat=0)
    for _ in range(4):
        games.step(games.action_masks.argmax(1))
    assert len(games._memory[0][1]) > 1
    games.start(0, Game.new(2, seed=5))
    assert games._memory[0] == {}


@pytest.mark.parametrize("names", [["greedy", "random"], ["random", "greedy"], ["greedy", "mc"]])
def test_a_line_up_of_several_names_has_each_in_its_seat(names):
    for options, expected in ((Options(3), names), (Options(4), [*names, "random"])):
        found = Opponents(expected, options)
        assert [[agent.name for agent in line_up] for line_up in found.line_ups] == [expected]
        assert found.probabilities.tolist() == [0, 0, 1]
