"""PettingZoo's own tests, and what they do not ask: whole games, rewards, masks, copies."""

import copy
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test
from pettingzoo.utils import turn_based_aec_to_parallel

from cacao_env import Game, cacao_v0
from cacao_env.envs.rendering import HEIGHT, WIDTH
from cacao_env.greedy.candidates import Candidates

OPTIONS = [
    {},
    {"table_size": 15, "reward": "shaped"},
    {"num_players": 3, "volcanoes": True, "decisions": "explicit", "mask_in": "info"},
    {"num_players": 4, "reward": "relative_score", "mask_in": "both", "observation_dtype": "uint8"},
    {"num_players": 2, "volcanoes": True, "mask_in": "info", "observation_dtype": "uint8"},
    {"observation": "planes", "table_size": 15},
    {"observation": "planes", "table_size": 15, "mask_in": "info"},
    {"observation": "candidates", "mask_in": "both"},
    {"observation": "candidates", "mask_in": "info"},
]
ROWS_OF_A_TURN = {"num_players": 3, "decisions": "turn", "observation": Candidates(10, 1)}
# PettingZoo would rather see plain boxes than dicts with a mask, though its own games have these.
harmless = pytest.mark.filterwarnings(
    "ignore:Observation:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",  # others'
    "ignore:The observation contains negative numbers:UserWarning",
)


def mask_of(env, agent):
    places = [env.observe(agent), env.infos[agent]]
    masks = [x["action_mask"] for x in places if isinstance(x, dict) and "action_mask" in x]
    np.testing.assert_array_equal(masks[0], masks[-1])
    return masks[0]


def play(env, seed, rng):
    """A whole game; returns everything each agent was given."""
    env.reset(seed=seed)
    log = []
    for agent in env.agent_iter():
        given = env.last()
        over = given[2] or given[3]
        waiting = [other for other in env.agents if over or other != agent]
        assert not any(mask_of(env, other).any() for other in waiting)
        action = None if over else int(rng.choice(np.flatnonzero(mask_of(env, agent))))
        log.append((agent, *given, action))
        env.step(action)
    return log


@harmless
@pytest.mark.parametrize("options", [*OPTIONS, ROWS_OF_A_TURN], ids=str)
@pytest.mark.parametrize("make", [cacao_v0.env, cacao_v0.raw_env])
def test_pettingzoo_s_api_test_passes(make, options, capsys):
    api_test(make(**options), num_cycles=400)


def test_pettingzoo_s_render_test_passes(capsys, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a window without a screen
    shown = {
        "svg": lambda picture: picture.startswith("<svg"),
        "rgb_array": lambda pixels: (pixels.shape, pixels.dtype) == ((HEIGHT, WIDTH, 3), np.uint8),
    }
    render_test(cacao_v0.env, custom_tests=shown)


# That test reads masks from observations only.
@harmless
@pytest.mark.parametrize("options", [*OPTIONS[:2], OPTIONS[3]], ids=str)
def test_pettingzoo_s_parallel_api_test_passes_after_conversion(options, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the conversion itself warns
        parallel_api_test(turn_based_aec_to_parallel(cacao_v0.raw_env(**options)), num_cycles=200)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_same_seed_gives_the_same_whole_game(options):
    one, two = cacao_v0.env(**options), cacao_v0.raw_env(**options)
    for seed in (0, 1, 2**40):
        first, second = (play(env, seed, np.random.default_rng(9)) for env in (one, two))
        assert len(first) == len(second) > 40
        for a, b in zip(first, second):
            np.testing.assert_equal(a, b)
    another = play(two, 3, np.random.default_rng(9))
    assert [step[-1] for step in another] != [step[-1] for step in second]


def test_a_reset_with_a_seed_deals_the_game_of_that_seed():
    env = cacao_v0.raw_env(num_players=3)
    env.reset(seed=0)
    assert env.game == Game.new(3, 0)
    env.reset()
    follower = env.game.draws
    assert follower != Game.new(3, 0).draws
    env.reset(seed=0)
    env.reset()
    assert env.game.draws == follower


def test_an_illegal_action_in_raw_env_says_why_and_changes_nothing():
    env = cacao_v0.raw_env(reward="shaped")
    env.reset(seed=0)
    env.step(int(env.game.legal_actions()[0]))
    before, agent = env.game.clone(), env.agent_selection
    rewards, sums = dict(env.rewards), dict(env._cumulative_rewards)
    illegal = int(np.flatnonzero(env.game.action_mask() == 0)[100])
    for action in (illegal, -1, 10**6, 2**70):
        with pytest.raises(ValueError, match=f"illegal action {action}"):
            env.step(action)
    row, column = env.game.move(illegal)[3]
    meaning = rf"\(place \d+/\d at {row},{column}\): "
    with pytest.raises(ValueError, match=rf"illegal action {illegal} {meaning}"):
        env.step(illegal)
    with pytest.raises(ValueError, match="expected an integer"):
        env.step("north")
    assert env.game == before
    assert env.agent_selection == agent
    assert (env.rewards, env._cumulative_rewards) == (rewards, sums)


def test_an_illegal_action_in_env_ends_the_game_for_its_player():
    for mask_in, form in (("observation", "flat"), ("both", "flat"), ("info", "planes")):
        env = cacao_v0.env(num_players=3, mask_in=mask_in, observation=form)
        env.reset(seed=0)
        agent = env.agent_selection
        env.last()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env.step(int(np.flatnonzero(mask_of(env, agent) == 0)[0]))
        assert all(env.terminations.values())
        assert env._cumulative_rewards[agent] == -1
        assert sum(env._cumulative_rewards.values()) == -1


def test_using_it_before_reset_is_refused():
    env = cacao_v0.raw_env()
    for use in (env.observe, env.step):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            use("player_0")


def test_rendering_returns_the_picture(capsys):
    env = cacao_v0.env(render_mode="ansi")
    env.reset(seed=0)
    assert "display:" in env.render()
    assert capsys.readouterr().out == ""
    env = cacao_v0.raw_env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_fresh_arrays_are_handed_out():
    env = cacao_v0.raw_env(mask_in="both")
    env.reset(seed=0)
    first, again = env.last()[0], env.last()[0]
    np.testing.assert_equal(first, again)
    for key, array in first.items():
        assert not np.shares_memory(array, again[key])
        assert not np.shares_memory(array, env.infos["player_0"]["action_mask"])
    kept = copy.deepcopy(first)
    env.step(int(env.game.legal_actions()[0]))
    env.last()
    np.testing.assert_equal(first, kept)
