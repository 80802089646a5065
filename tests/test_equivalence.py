"""The same deal and the same actions are the same game, whichever way it is played.

Move by move: ``Game``, the PettingZoo environment, batches, and the Gymnasium environments with the
other seats' moves noted.  Rewards are worked out from scores and winners alone.
"""

from collections import defaultdict, deque
from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from cacao_env import Game, cacao_v0
from cacao_env.agent import Agent
from cacao_env.engine.observation import scale
from cacao_env.engine.options import DECISIONS, OptionFields, Options
from cacao_env.engine.rewards import REWARDS
from cacao_env.engine.tiles import MAX_PLAYERS, MIN_PLAYERS
from cacao_env.envs.gym import CacaoEnv, CacaoVectorEnv
from cacao_env.envs.vector import VectorGames
from tests.games import STYLES, as_dealt, play
from tests.tiers import mostly_slow

NAMES = ("num_players", "volcanoes", "decisions", "table_size")
VALUES = (range(MIN_PLAYERS, MAX_PLAYERS + 1), (False, True), DECISIONS, (None, 15))
KINDS = [dict(zip(NAMES, values)) for values in product(*VALUES)]
# Every seventh has each value of each option.
TIERS = mostly_slow(KINDS, fast=range(0, len(KINDS), 7))
kinds = pytest.mark.parametrize("kind", TIERS, ids=lambda kind: "-".join(map(str, kind.values())))
STYLE_NAMES = sorted(STYLES)


def test_no_option_is_left_out():
    named = {field.name for field in fields(Options)}
    assert named == set(NAMES) == set(OptionFields.__annotations__)


# --- Every seat's decision asked ------------------------------------------------------------


@kinds
def test_game_pettingzoo_and_batch_are_the_same_move_by_move(kind):
    """Three batches, one a reward, with a game of each style; one PettingZoo environment for each."""
    number = KINDS.index(kind)
    rng = np.random.default_rng(number)
    size = len(STYLES)
    deals = [1000 * number + g for g in range(size)]
    games = [Game.new(seed=deal, **kind) for deal in deals]
    batches = {mode: VectorGames(size, **kind, reward=mode, seed=number) for mode in REWARDS}
    for batch in batches.values():
        for g, game in enumerate(games):
            batch.states[g] = game.state
        batch.look()
    aecs = {
        mode: [cacao_v0.raw_env(**kind, reward=mode, observation_dtype="uint8") for _ in games]
        for mode in REWARDS
    }
    for environments in aecs.values():
        for environment, deal in zip(environments, deals):
            environment.reset(seed=deal)
    ends = np.zeros(size, int)
    while min(ends) == 0 or min(game.ply for game in games) < 5:
        for g, game in enumerate(games):
            for batch in batches.values():
                _same_in_batch(game, batch, g)
            for environments in aecs.values():
                _same_in_aec(game, environments[g])
        chosen = [STYLES[style](game, rng) for style, game in zip(STYLE_NAMES, games)]
        following = batches["outcome"].rngs.tolist()  # what a game that ends now is dealt from
        for batch in batches.values():
            assert batch.rngs.tolist() == following
            batch.step(np.array(chosen))
        for g, action in enumerate(chosen):
            rewards = play(games[g], action)
            for mode in REWARDS:
                aecs[mode][g].step(action)
                _same_results(games[g], rewards[mode], batches[mode], g, aecs[mode][g])
            if games[g].over:
                ends[g] += 1
                games[g] = Game.new(seed=following[g], **kind)
                for mode in REWARDS:
                    aecs[mode][g].reset(seed=following[g])


def _same_in_batch(game: Game, batch: VectorGames, g: int) -> None:
    assert batch.seats[g] == game.seat
    np.testing.assert_array_equal(batch.action_masks[g], game.action_mask())
    np.testing.assert_array_equal(batch.observations[g], game.observation(game.seat))


def _same_in_aec(game: Game, environment: cacao_v0.raw_env) -> None:
    assert environment.agent_selection == f"player_{game.seat}"
    for seat, agent in enumerate(environment.possible_agents):
        shown = environment.observe(agent)
        np.testing.assert_array_equal(shown["observation"], game.observation(seat))
        mask = game.action_mask()
        np.testing.assert_array_equal(shown["action_mask"], mask * (seat == game.seat))


def _same_results(game, rewards, batch, g, environment) -> None:
    """What a step gave: rewards of every seat, whether the game is over, its scores if so."""
    assert batch.rewards[g].tolist() == pytest.approx(rewards.tolist(), abs=1e-6)
    assert [*environment.rewards.values()] == pytest.approx(rewards.tolist(), abs=1e-9)
    assert batch.terminations[g] == game.over
    assert set(environment.terminations.values()) == {game.over}
    assert not any(environment.truncations.values())
    if game.over:
        scores, infos = game.scores(), [environment.infos[a] for a in environment.possible_agents]
        assert batch.final_scores[g].tolist() == environment.game.scores() == scores
        for seat, info in enumerate(infos):
            told = [info[name] for name in ("score", "best_other_score", "win_share")]
            best = max(scores[:seat] + scores[seat + 1 :])
            assert told == [scores[seat], best, game.win_shares()[seat]]


# --- One seat against others ----------------------------------------------------------------


def styles_of(number: int, mode: int) -> tuple[str, str]:
    """The styles of the learner and of the others; every option meets every one."""
    first = (number + number // 4 + mode) % len(STYLES)
    return STYLE_NAMES[first], STYLE_NAMES[(first + 2) % len(STYLES)]


class Noted(Agent):
    """Plays in a style and notes its seat, what it saw, and its action."""

    name = "noted"

    def __init__(self, style: str, seed: int) -> None:
        self.style, self.rng = STYLES[style], np.random.default_rng(seed)
        self.moves: dict[tuple[int, bytes], deque[int]] = defaultdict(deque)

    def act(self, games, memory) -> list[int]:
        actions = [self.style(game, self.rng) for game in games]
        for game, action in zip(games, actions):
            self.moves[game.seat, game.observation(game.seat).tobytes()].append(action)
        return actions

    def follow(self, game: Game, learner: int, mode: str) -> float:
        """Play the noted moves until the learner decides; the learner's rewards for them."""
        earned = 0.0
        while not game.over and game.seat != learner:
            noted = self.moves[game.seat, game.observation(game.seat).tobytes()]
            earned += play(game, noted.popleft())[mode][learner]
        return earned


def _same_end(game: Game, learner: int, info, final) -> None:
    others = [score for seat, score in enumerate(game.scores()) if seat != learner]
    assert info["score"] == game.scores()[learner]
    assert info["best_other_score"] == max(others)
    assert info["win_share"] == game.win_shares()[learner]
    assert info["seat"] == learner, "the learner of the game that ended"
    np.testing.assert_array_equal(final["observation"], game.observation(learner))
    assert not final["action_mask"].any()


@kinds
def test_a_vector_environment_is_that_game_from_the_learner_s_seat(kind):
    number = KINDS.index(kind)
    for m, mode in enumerate(REWARDS):
        own, others = styles_of(number, m)
        rng, opponent = np.random.default_rng(number), Noted(others, number)
        envs = CacaoVectorEnv(2, opponent, **kind, reward=mode, observation_dtype="uint8")
        observations, infos = envs.reset(seed=number)
        games = [as_dealt(envs.games.game(g)) for g in range(2)]
        # A reset gives no reward: what happens before the first decision comes with the first step.
        owed = [opponent.follow(game, int(infos["seat"][g]), mode) for g, game in enumerate(games)]
        ends = np.zeros(2, int)
        while min(ends) == 0:
            learners = infos["seat"].tolist()
            for g, game in enumerate(games):
                _same_in_gym(game, learners[g], {k: v[g] for k, v in observations.items()})
            chosen = [STYLES[own](game, rng) for game in games]
            observations, rewards, overs, truncations, infos = envs.step(np.array(chosen))
            assert not truncations.any()
            for g, game in enumerate(games):
                earned = owed[g] + play(game, chosen[g])[mode][learners[g]]
                owed[g] = 0.0
                earned += opponent.follow(game, learners[g], mode)
                assert rewards[g] == pytest.approx(earned, abs=1e-6)
                assert overs[g] == game.over
            for g in np.flatnonzero(overs):
                end = {key: value[g] for key, value in infos["final_info"].items()}
                _same_end(games[g], learners[g], end, infos["final_obs"][g])
                ends[g] += 1
                games[g] = as_dealt(envs.games.game(g))
                owed[g] = opponent.follow(games[g], int(infos["seat"][g]), mode)
        assert not any(opponent.moves.values())


@kinds
def test_a_single_environment_is_that_game_from_the_learner_s_seat(kind):
    number = KINDS.index(kind)
    mode = REWARDS[number % len(REWARDS)]
    own, others = styles_of(number, 0)
    rng, opponent = np.random.default_rng(number), Noted(others, number)
    env = CacaoEnv(opponent, **kind, reward=mode)
    for seed in (number, None):
        observation, info = env.reset(seed=seed)
        factors = scale(kind["num_players"], env.game.table_size)
        learner, game, over = info["seat"], as_dealt(env.game), False
        earned = opponent.follow(game, learner, mode)
        while not over:
            raw = observation["observation"] / factors
            whole = np.rint(raw)
            np.testing.assert_allclose(raw, whole, atol=1e-3)
            _same_in_gym(game, learner, {**observation, "observation": whole})
            action = STYLES[own](game, rng)
            observation, reward, over, truncated, info = env.step(action)
            earned += play(game, action)[mode][learner] + opponent.follow(game, learner, mode)
            assert reward == pytest.approx(earned, abs=1e-6)
            earned = 0.0
            assert (over, truncated) == (game.over, False)
        end = {**observation, "observation": np.rint(observation["observation"] / factors)}
        _same_end(game, learner, info, end)
        assert not any(opponent.moves.values())


def _same_in_gym(game: Game, learner: int, shown) -> None:
    assert game.seat == learner
    np.testing.assert_array_equal(shown["observation"], game.observation(learner))
    np.testing.assert_array_equal(shown["action_mask"], game.action_mask())
