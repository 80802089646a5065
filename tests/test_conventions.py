"""What libraries and their users expect of constructors, numbers, infos and vector environments."""

import re
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import FlattenObservation, NormalizeObservation

from cacao_env import Game, cacao_v0
from cacao_env.envs.aec import RESULTS
from cacao_env.envs.gym import CacaoEnv, CacaoVectorEnv
from cacao_env.envs.tasks import TASKS
from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames
from cacao_env.registry import load_agent

ID = "cacao_env/Cacao-v0"
OPTIONS = ("num_players", "volcanoes", "decisions", "table_size")
SEEN = ("mask_in", "observation", "observation_dtype", "fixed_infos", "render_mode")
GYM = ("opponents", "options", "reward", "seat", "illegal", *SEEN, *OPTIONS)
BATCH = ("num_envs", "copy", "autoreset_mode")
LIMIT = "max_episode_steps"

# --- Constructors ---------------------------------------------------------------------------------

# A callable, a keyword that it does not take, the nearest one, all that it takes.
MAKERS = {
    "raw_env": (cacao_v0.raw_env, "rewards", "reward", ("options", "reward", *SEEN, *OPTIONS)),
    "env": (cacao_v0.env, "num_player", "num_players", ("options", "reward", *SEEN, *OPTIONS)),
    # TorchRL drops ``frameskip`` only after Python's words.
    "make": (partial(gymnasium.make, ID), "opponent", "opponents", GYM),
    "make_vec": (partial(gymnasium.make_vec, ID), "opponent", "opponents", (*GYM, *BATCH, LIMIT)),
    "a task": (partial(gymnasium.make, TASKS[1].id), "observations", "observation", SEEN),
    "a task's batch": (partial(gymnasium.make_vec, TASKS[1].id), "copys", "copy", (*SEEN, *BATCH)),
    "Game.new": (Game.new, "volcano", "volcanoes", ("seed", *OPTIONS)),
    "VectorGames": (
        partial(VectorGames, 1),
        "num_thread",
        "num_threads",
        ("num_games", "options", "reward", "observation", "seed", "num_threads", *OPTIONS),
    ),
    "VersusGames": (
        partial(VersusGames, 1),
        "oponents",
        "opponents",
        (*("num_games", "opponents", "options", "reward", "seed", "observation"),)
        + (*("observation_dtype", "seat", "illegal", "begin"), *OPTIONS),
    ),
}


@pytest.mark.parametrize("name", MAKERS)
def test_an_unknown_keyword_gets_python_s_words_and_all_that_there_are(name):
    make, wrong, nearest, known = MAKERS[name]
    with pytest.raises(TypeError, match=f"unexpected keyword argument {wrong!r}") as found:
        make(**{wrong: 1})
    text = str(found.value)
    assert f"Did you mean {nearest!r}?" in text
    listed = re.search(r"The arguments are: ([\w, ]+?)( was raised|$)", text).group(1).split(", ")
    assert sorted(listed) == sorted(known)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 5}, "num_players is 5, expected 2, 3 or 4"),
        ({"num_players": 2.0}, "num_players is 2.0"),
        ({"volcanoes": 1}, r"volcanoes is 1 \(int\), expected True or False"),
        ({"decisions": "all"}, "decisions is 'all'"),
        ({"table_size": 10}, "table_size is 10, expected 11 to 32"),
        ({"table_size": True}, "table_size is True"),
        ({"seed": 1.5}, r"seed is 1.5 \(float\), expected an integer"),
        ({"reward": "gold"}, "reward is 'gold', expected 'outcome', 'relative_score' or 'shaped'"),
        ({"mask_in": "mask"}, "mask_in is 'mask'"),
        ({"observation_dtype": "float64"}, "observation_dtype is 'float64'"),
        ({"render_mode": "rgb"}, "render_mode is 'rgb'"),
        ({"seat": 3}, "seat is 3, expected 0 to 2"),
        ({"seat": -1}, "seat is -1, expected 0 to 2"),
        ({"seat": True}, r"seat is True \(bool\), expected an integer \(0 to 2\)"),
        ({"seat": np.array([0, 1])}, "seat is array"),
        ({"illegal": "ignore"}, "illegal is 'ignore', expected 'raise' or 'lose'"),
        ({"opponents": "genius"}, "no agent 'genius'.*greedy, mc, random"),
        ({"opponents": ["random"]}, "opponents lists 1, expected one for each of the 2 other"),
        ({"opponents": ["random", 3]}, "an opponent is 3, expected a name, weights by name"),
        ({"opponents": 3}, "an opponent is 3, expected a name"),
        ({"opponents": {"random": -1}}, "the weight of opponent 'random' is -1.0, expected 0 to"),
        *(
            ({"opponents": {"random": 1, "greedy": weight}}, "the weight of opponent .*0 to 1e")
            for weight in (10**400, float("inf"), float("nan"), 1e308)
        ),
        ({"opponents": {}}, "no opponent has a weight above 0"),
        ({"opponents": "tests.agents_for_tests:First"}, "names code, which only the command line"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*possible render_modes:UserWarning")
def test_an_option_out_of_range_is_named_at_every_door(options, message):
    for make, *_, known in MAKERS.values():
        if set(options) < {*known} and "num_players" in known:
            with pytest.raises(ValueError, match=message):
                make(**{"num_players": 3} | options)


# --- Numbers --------------------------------------------------------------------------------------

INTEGERS = [
    np.dtype(f"{order}{kind}{size}") for order in "<>" for kind in "iu" for size in (1, 2, 4, 8)
]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_of_every_kind_are_taken_at_every_door(dtype):
    two, one = np.array([2, 1], dtype)
    game = Game.new(two, seed=one, table_size=15)
    assert game == Game.new(2, seed=1, table_size=15)
    greedy = load_agent("greedy")
    assert greedy.player(seed=one).act(game) == greedy.player(1).act(game)
    assert game.determinise(one, one) == game.determinise(1, 1)
    env = CacaoEnv(seat=one, num_players=two, table_size=15)
    env.reset(seed=int(one))
    env.step(np.flatnonzero(env.action_masks()).astype(dtype)[0] if dtype.itemsize > 1 else 0)
    for form in ("flat", "candidates"):
        games = VersusGames(two, {"greedy": one}, seed=one, observation=form, num_players=two)
        vector = VectorGames(two, seed=one, observation=form, num_threads=two)
        for batch in (games, vector):
            batch.step(batch.action_masks.argmax(axis=1).astype(dtype if form != "flat" else ">i4"))
    assert games.game(one).num_players == 2


def test_weights_are_numbers_of_any_kind():
    for number in (1, 2.5, np.float32(1), np.int8(3), np.float64(0.5)):
        VersusGames(1, {"random": number, "greedy": 1}, seed=0)
    for wrong in ("1", None, True, 1j):
        with pytest.raises(ValueError, match=rf"\({type(wrong).__name__}\), expected a number"):
            VersusGames(1, {"random": wrong})


# --- Shapes and infos -----------------------------------------------------------------------------


def test_fixed_infos_have_the_same_keys_at_every_step():
    env, aec = CacaoEnv(), cacao_v0.env()  # they have no result before the end
    aec.reset(seed=0)
    assert set(env.reset(seed=0)[1]) == {"seat", "illegal_action"}
    assert list(aec.infos.values()) == [{}, {}]
    env, aec = CacaoEnv(fixed_infos=True, mask_in="info"), cacao_v0.env(fixed_infos=True)
    _, info = env.reset(seed=0)
    keys, over = set(info), False
    assert {"score", "best_other_score", "win_share"} < keys
    while not over:
        assert (info["score"], info["win_share"]) == (0, 0)
        *_, over, _, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
        assert set(info) == keys
    assert info["score"] != 0
    env.games.final_win_shares[:] = 1  # whoever won
    _, info = env.reset()
    assert [info[name] for name in RESULTS] == [0, 0, 0]
    aec.reset(seed=0)
    for agent in aec.agent_iter():
        observation, _, over, _, info = aec.last()
        assert set(info) == {"score", "best_other_score", "win_share"}
        assert any(info.values()) == (over and agent in aec.infos)
        aec.step(None if over else int(np.flatnonzero(observation["action_mask"])[0]))
    aec = cacao_v0.env(fixed_infos=True, mask_in="info")
    aec.reset(seed=0)
    assert set(aec.last()[4]) == {"action_mask", "score", "best_other_score", "win_share"}


# --- Vector environments --------------------------------------------------------------------------


def next_step(**more):
    return gymnasium.make_vec(ID, 3, autoreset_mode="NextStep", table_size=15, **more)


def test_gymnasium_s_wrappers_of_vector_observations_work():
    for wrapper in (NormalizeObservation, FlattenObservation):
        envs = wrapper(next_step(mask_in="info"))
        envs.reset(seed=0)
        envs.step(envs.unwrapped.action_masks().argmax(axis=1))
    with pytest.raises(ValueError, match="autoreset_mode is 'soon', expected 'NextStep'"):
        gymnasium.make_vec(ID, autoreset_mode="soon")
    assert next_step().metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
@pytest.mark.parametrize("illegal", [False, True])
def test_a_finished_game_shows_its_end_and_is_replaced_later(mode, illegal):
    """Step by step like an environment of one game that is reset by hand."""
    given = {"opponents": "greedy", "table_size": 15, "seat": 0, "reward": "shaped"}
    envs, rng = CacaoVectorEnv(3, **given, autoreset_mode=mode), np.random.default_rng(0)
    seen, _ = envs.reset(seed=5)
    over, ends = np.zeros(3, bool), 0
    for number in range(120):
        masks = envs.action_masks()
        assert (masks.sum(axis=1) == 0).tolist() == over.tolist()
        actions = np.array([rng.choice(np.flatnonzero(m)) if m.any() else -7 for m in masks])
        if illegal and number % 30 == 29:
            actions[1] = -1
        if mode == "Disabled" and over.any():
            with pytest.raises(ValueError, match=f"game {over.argmax()} is over: call reset"):
                envs.step(actions)
            seen, infos = envs.reset(options={"reset_mask": over})
            assert envs.action_masks().any(axis=1).all()
            over = np.zeros(3, bool)
            continue
        before = over
        seen, rewards, over, truncated, infos = envs.step(actions)
        assert not truncated.any()
        assert not (over & before).any()
        assert (rewards[before] == 0).all()
        ends += over.sum()
        if over.any():
            assert (infos["_score"] == over).all()
            for name in ("score", "best_other_score", "win_share"):
                assert (infos[name][~over] == 0).all()
            for g in np.flatnonzero(over):
                assert not seen["action_mask"][g].any()
                assert infos["illegal_action"][g] == (actions[g] == -1)
        else:
            assert "score" not in infos
    assert ends >= 6
