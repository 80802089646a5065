"""A policy as an agent: it sees what its environment shows, whatever the game at hand asks."""

import pickle
from itertools import product

import gymnasium
import numpy as np
import pytest

from cacao_env import Game, cacao_v0, record
from cacao_env.agent import AgentError
from cacao_env.agents.policy import PolicyAgent
from cacao_env.agents.sb3 import sb3_agent
from cacao_env.engine.options import ASKED, DECISIONS
from cacao_env.envs.gym import CacaoEnv
from cacao_env.envs.versus import VersusGames
from cacao_env.evaluation.run import measure
from cacao_env.greedy.candidates import Candidates
from cacao_env.greedy.turn import unasked
from cacao_env.registry import load_agent
from tests.games import played, positions

FORMS = [
    ({"observation": "flat", "mask_in": "info"}, {}),
    ({"observation": "flat", "observation_dtype": "uint8", "mask_in": "observation"}, {}),
    ({"observation": "planes", "mask_in": "both"}, {"decisions": "turn"}),
    ({"observation": "candidates"}, {"decisions": "turn"}),  # the mask is in the observation
    ({"observation": Candidates(12, 4), "mask_in": "observation"}, {"decisions": "auto"}),
]


@pytest.mark.parametrize(("form", "options"), FORMS, ids=str)
def test_a_policy_sees_what_the_environment_shows(form, options):
    """Exactly, and in games that ask more or have another table as well."""
    seen, size = [], {"num_players": 3, "volcanoes": True, "table_size": 30}
    options = size | options
    env, rng = cacao_v0.raw_env(**form, **options), np.random.default_rng(0)

    def choose(observations, masks):
        seen.append((observations, masks))
        return masks.argmax(1)

    agent = PolicyAgent(choose, **form, **options)
    env.reset(seed=3)
    asks = DECISIONS[DECISIONS.index(env.options.decisions) :: -1]  # the same or more
    for step in range(60):
        observation, _, over, _, info = env.last()
        if over:
            break
        inside = form.get("mask_in") != "info"
        mask = observation["action_mask"] if inside else info["action_mask"]
        if "observation_dtype" in form:
            np.testing.assert_equal(env.game.observation(**form), observation)
        for decisions, table in {(asks[0], 30), (asks[step % len(asks)], (31, 29)[step % 2])}:
            game = env.game.with_options(decisions, table)
            action = agent.act([game], [agent.begin(0)])[0]
            batch, masks = seen.pop()
            np.testing.assert_equal(_first(batch), observation)
            np.testing.assert_array_equal(masks, mask[None])
            assert masks.dtype == np.int8
            row = int(mask.argmax())
            meant = env._action_of(row) if env._rows else row
            assert game.move(action) == env.game.move(meant)
        env.step(int(rng.choice(np.flatnonzero(mask))))
    assert step > 15


def test_a_policy_plays_by_itself_what_its_games_never_ask():
    """As the games that it learned play it, whatever the game at hand asks."""
    agent, times = PolicyAgent(lambda seen, masks: masks.argmax(1)), 0
    for game in positions(Game.new(2, 5, decisions="explicit"), np.random.default_rng(0)):
        if not game.over:
            alone = int(unasked(game.state, ASKED.index("auto")))
            if alone >= 0:
                assert agent.act([game], [agent.begin(0)]) == [alone]
                times += alone != game.legal_actions()[0]
    assert times > 5, "the policy would have chosen another action"


def _first(batch):
    if isinstance(batch, dict):
        return {name: _first(part) for name, part in batch.items()}
    assert len(batch) == 1
    return batch[0]


@pytest.mark.parametrize("number", [np.int64, np.uint16])
def test_choices_and_logits_play_alike_everywhere(number):
    last = PolicyAgent(lambda seen, masks: number(len(masks[0]) - 1 - masks[:, ::-1].argmax(1)))
    ascending = PolicyAgent(lambda seen, masks: np.arange(masks.shape[1], dtype=np.float32)[None])
    for decisions in DECISIONS:
        game = Game.new(2, 1, decisions=decisions, table_size=25)
        while not game.over:
            actions = [one.act([game], [one.begin(0)])[0] for one in (last, ascending)]
            assert actions[0] == actions[1]
            assert last.analyze(game, last.begin(0)).actions[0] == actions[0]
            game.play(actions[0])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda masks: masks.argmin(1), r"net chose \d+, which is not legal, expected a choice"),
        (lambda masks: np.array([-1]), r"net chose -1, which is not legal"),
        (lambda masks: masks.argmax(1)[0], r"returned int64 of shape \(\), expected integers of"),
        (lambda masks: masks.astype(float)[:, 1:], r"floats of shape \(1, \d+\)"),
        (lambda masks: masks * np.nan, "net: a logit of a legal action is not a finite number"),
        (lambda masks: "north", r"net returned <U5 of shape \(\)"),
        (lambda masks: masks.nothing, "net failed to choose: AttributeError: 'numpy.ndarray'"),
    ],
)
def test_what_is_no_choice_gets_one_sentence(answer, message):
    agent = PolicyAgent(lambda seen, masks: answer(masks), name="net")
    game = Game.new(2, 0)
    with pytest.raises(AgentError, match=message) as caught:
        agent.act([game], [agent.begin(0)])
    assert "\n" not in str(caught.value)


def test_a_policy_is_measured_an_opponent_and_refuses_other_games():
    def first(seen, masks):
        return masks.argmax(1)

    agent = PolicyAgent(first, observation="candidates", decisions="turn", name="first")
    assert (agent.version, agent.players) == ("", (2,))
    assert measure(agent, load_agent("random"), blocks=2, luck=False).win_share > 0.9
    games = VersusGames(3, agent, seed=1)
    games.step(games.action_masks.argmax(1))
    with pytest.raises(AgentError, match="first plays with 2 players on table size 23 without"):
        agent.act([Game.new(3, 0)], [None])
    with pytest.raises(TypeError, match=r"argument 'decision'\. Did you mean 'decisions'"):
        PolicyAgent(first, decision="turn")
    with pytest.raises(ValueError, match="observation is 'rows', expected"):
        PolicyAgent(first, observation="rows")


# --- Games that go on with other options ---------------------------------------------------------


@pytest.mark.parametrize(("before", "after"), list(product(DECISIONS, repeat=2)))
def test_a_game_goes_on_with_other_options(before, after):
    """Its moves stay, and it is saved, taken back and recorded as any other."""
    compared = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        game = played(2, seed, 5 * seed, decisions=before, volcanoes=seed % 2 > 0)
        other = game.with_options(after, (23, 31)[seed % 2])
        assert (other.decisions, other.table_size) == (after, (23, 31)[seed % 2])
        moves = [move for _, _, move in game.elementary_moves()]
        assert [move for _, _, move in other.elementary_moves()][: len(moves)] == moves
        again = Game.from_json(other.to_json())
        assert again == other
        if other.over:
            continue
        compared += 1
        env = CacaoEnv("random", **other.options.as_dict())
        env.reset(seed=1, options={"game": game})
        assert env.game == other
        action = int(again.legal_actions()[-1])
        env.step(action)
        assert pickle.loads(pickle.dumps(env)).game == env.game
        again.play(action)
        again.undo()
        assert again == other
        *_, again = positions(again, rng)
        assert Game.from_json(again.to_json()) == again
        assert record.check(record.record_of(again)).scores() == again.scores()
    assert compared > 4


def test_a_table_that_does_not_fit_the_window_is_refused():
    game = played(2, 1, style="stretch")
    with pytest.raises(ValueError, match="the table does not fit a window of size 11, or the"):
        game.with_options(table_size=11)
    assert game.with_options() == game
    with pytest.raises(ValueError, match="the game is over, so seat must be given"):
        game.observation()


# --- Stable-Baselines3 ----------------------------------------------------------------------------


def sb3_models():
    sb3 = pytest.importorskip("stable_baselines3", reason="the training extra is not installed")
    contrib = pytest.importorskip("sb3_contrib", reason="the training extra is not installed")
    short = {"n_steps": 8, "batch_size": 8, "seed": 0, "device": "cpu"}
    rows, flat = {"observation": "candidates"}, {"observation": "flat", "table_size": 15}
    flat |= {"mask_in": "observation"}
    for make, policy, form, more in (
        (contrib.MaskablePPO, "MlpPolicy", rows | {"mask_in": "info", "decisions": "turn"}, short),
        (contrib.MaskablePPO, "MultiInputPolicy", flat, short),
        (sb3.DQN, "MlpPolicy", rows | {"mask_in": "info"}, {"buffer_size": 10, "seed": 0}),
    ):
        env = gymnasium.make("cacao_env/Cacao-v0", disable_env_checker=True, **form)
        shown = {key: x for key, x in form.items() if key != "mask_in"}
        yield make(policy, env, **more), env, shown


def test_a_saved_model_of_sb3_plays_as_it_predicts(tmp_path):
    file = tmp_path / "model.zip"
    for model, env, form in sb3_models():
        model.save(file)
        agents = [sb3_agent(file, **form), sb3_agent(model, **form)]
        assert not model.policy.training  # no dropout, and no batch's own statistics
        assert [agent.name for agent in agents] == ["model", type(model).__name__]
        assert agents[0].version != sb3_agent(file, **form, volcanoes=True).version
        assert agents[0].version != sb3_agent(file, **form | {"observation": Candidates(4)}).version
        assert agents[1].version == ""
        observation, _ = env.reset(seed=2)
        game, over = env.unwrapped.game, False
        while not over:
            mask = env.unwrapped.action_masks()
            if "action_masks" in type(model).predict.__annotations__:
                choice, _ = model.predict(observation, action_masks=mask, deterministic=True)
            else:
                seen, _ = model.policy.obs_to_tensor(observation)
                values = model.q_net(seen).detach().cpu().numpy()[0]
                choice = np.where(mask > 0, values, -np.inf).argmax()
            game = env.unwrapped.game
            actions = [agent.act([game], [agent.begin(0)])[0] for agent in agents]
            before = len(game.history)
            observation, _, over, _, _ = env.step(int(choice))
            assert actions[0] == actions[1] == env.unwrapped.game.history[before]


def test_a_model_with_code_of_its_own_has_no_version(tmp_path):
    sb3 = pytest.importorskip("stable_baselines3", reason="the training extra is not installed")
    from stable_baselines3.common.torch_layers import FlattenExtractor

    env = gymnasium.make("cacao_env/Cacao-v0", mask_in="info", table_size=15)
    own = type("Own", (FlattenExtractor,), {"__module__": __name__})
    globals()["Own"] = own  # where a pickle looks for it
    for extractor in (FlattenExtractor, own):
        more = {"features_extractor_class": extractor, "net_arch": [4]}
        model = sb3.PPO("MlpPolicy", env, n_steps=8, batch_size=8, policy_kwargs=more, device="cpu")
        model.save(tmp_path / "model.zip")
        version = sb3_agent(tmp_path / "model.zip", table_size=15).version
        assert (version == "") is (extractor is own)


def test_a_file_that_is_no_model_gets_one_sentence(tmp_path):
    pytest.importorskip("stable_baselines3", reason="the training extra is not installed")
    (tmp_path / "model.zip").write_bytes(b"PK")
    with pytest.raises(AgentError, match=r"model\.zip is not a saved model: "):
        sb3_agent(tmp_path / "model.zip")
    with pytest.raises(AgentError, match=r"none\.zip can't be read: No such file"):
        sb3_agent(tmp_path / "none.zip")
    with pytest.raises(AgentError, match="model is None, expected a model or the path"):
        sb3_agent(None)
