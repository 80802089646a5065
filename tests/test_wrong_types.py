"""Data of a wrong type gets one sentence at every public door."""

import json
import re
from functools import cache

import numpy as np
import pytest

from cacao_env import Game, cacao_v0, record
from cacao_env.agents.checkpoint import CheckpointError, read_manifest
from cacao_env.agents.onnx import load_policy
from cacao_env.agents.value.checkpoint import read_value
from cacao_env.checks import need
from cacao_env.engine.observation import decode, planes
from cacao_env.engine.options import Options
from cacao_env.engine.symmetry import transform_action, transform_mask, transform_observation
from cacao_env.envs.gym import CacaoEnv, CacaoVectorEnv
from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames
from cacao_env.evaluation.run import measure
from cacao_env.greedy.candidates import Candidates
from cacao_env.registry import load_agent, load_agents
from tests.games import played

WRONG = (None, 5, 1.5, ["x"], {1: 2}, object(), np.zeros((2, 40)), True)
WRONG += (3.0, np.float32(1), np.bool_(True))
INTEGER = "), expected an integer"


def game():
    return Game.new(2, 1, table_size=15)


def versus():
    return VersusGames(2, seed=1, table_size=15)


PATH = "is not the path of a file or a folder"
# What is called, a part of its sentence, and what of WRONG is right after all.
DOORS = {
    "restore": (lambda x: VectorGames(1, seed=1, table_size=15).restore(x), "saved games "),
    "VersusGames.restore": (lambda x: versus().restore(x), "saved games "),
    "VersusGames.start": (lambda x: versus().start(0, x), "expected a Game"),
    "VersusGames.start's number": (lambda x: versus().start(x, game()), "0 to 1"),
    "VersusGames.game": (lambda x: versus().game(x), "0 to 1"),
    "VersusGames.deal": (lambda x: versus().deal(x), "expected (2,) and bool"),
    "options": (lambda x: VectorGames(1, x), "expected an Options", None),
    "Game.deal": (Game.deal, "expected an Options"),
    "Game.from_json": (Game.from_json, "not a saved game: "),
    "worker_draws": (lambda x: Game.from_draws(x, []), ""),
    "a player's draws": (lambda x: Game.from_draws([x, x], []), "worker_draws of player 0"),
    "jungle_draws": (lambda x: Game.from_draws(game().draws[0], x), ""),
    "observation": (lambda x: game().observation(x), "seat is ", None),
    "determinise's seat": (lambda x: game().determinise(x, 0), "seat is "),
    "determinise": (lambda x: game().determinise(0, x), "seed is", 5),
    "why_illegal": (lambda x: game().why_illegal(x), "action is", 5),
    "record.load": (record.load, PATH, record.RecordError),
    "record.check": (record.check, "expected ", record.RecordError),
    "record.record_of": (record.record_of, "expected a Game"),
    "record.dumps": (record.dumps, "expected what record_of returns", {1: 2}),
    "load_agent": (load_agent, "expected text"),
    "load_agents": (load_agents, ""),
    "load_policy": (load_policy, PATH, CheckpointError),
    "read_value": (read_value, PATH, CheckpointError),
    "read_manifest": (read_manifest, PATH, CheckpointError),
    "env.reset": (lambda x: cacao_v0.env().reset(options=x), "options of reset", None),
    "CacaoEnv.reset": (lambda x: CacaoEnv().reset(options=x), "options of reset", None),
    "vector reset": (lambda x: CacaoVectorEnv(1).reset(options=x), "options of reset", None),
    "reset_mask": (lambda x: CacaoVectorEnv(2).reset(options={"reset_mask": x}), "", None),
    "num_players": (Options, INTEGER, 5),
    "num_games": (VectorGames, INTEGER, 5),
    "num_envs": (CacaoVectorEnv, INTEGER, 5),
    "num_threads": (lambda x: VectorGames(4, num_threads=x), INTEGER, 5),
    "a batch's seed": (lambda x: VectorGames(1, seed=x), INTEGER, 5, None),
    "a player's seed": (lambda x: load_agent("greedy").player(seed=x), INTEGER, 5),
    "rows": (lambda x: VectorGames(1, observation=Candidates(rows=x)), INTEGER, 5),
    "planes' players": (lambda x: planes(seen(), x, 15), INTEGER, 5),
    "planes' table": (lambda x: planes(seen(), 2, x), INTEGER, 5),
    "play": (lambda x: game().play(x), INTEGER, 5),
    "blocks": (lambda x: measure(*load_agents(["greedy", "random"]), blocks=x), INTEGER, 5),
    "decode": (lambda x: decode(x, 2, 15), "an observation for 2 players"),
    "planes": (lambda x: planes(x, 2, 15), "an observation for 2 players"),
    "record's players": (lambda x: record.record_of(finished(), players=x), "", None),
    "act": (lambda x: load_agent("greedy").player(1).act(x), "expected a Game"),
    "analyze": (lambda x: load_agent("greedy").player(1).analyze(x), "expected a Game"),
    "measure": (lambda x: measure(load_agent("greedy"), x), "expected an Agent"),
    "symmetry": (lambda x: transform_observation(x, seen(), 2, 15), "0 to 7", 5),
    "image": (lambda x: transform_observation(1, x, 2, 15), "an observation for 2 players"),
    "image of a mask": (lambda x: transform_mask(1, x, seen(), 2, 15), "the mask has shape"),
    "image of an action": (lambda x: transform_action(1, x, seen(), 2, 15), "action is ", 5),
}


@cache
def finished():
    return played(2, 1, table_size=15)


def seen():
    return game().observation(0)


def refuses(call, part, *more):
    errors = [one for one in more if isinstance(one, type)]
    for wrong in WRONG:
        if any(wrong is one or (isinstance(wrong, dict) and wrong == one) for one in more):
            continue
        with pytest.raises(errors[0] if errors else ValueError, match=re.escape(part) or ".") as e:
            call(wrong)
        assert "\n" not in str(e.value)
        assert len(str(e.value)) < 600


@pytest.mark.parametrize("name", DOORS)
def test_a_wrong_type_gets_one_sentence(name):
    refuses(*DOORS[name])


def test_one_name_is_no_list_of_names():
    with pytest.raises(ValueError, match="names is 'greedy', expected a list of names"):
        load_agents("greedy")


def test_what_is_right_is_taken():
    assert Game.from_json(game().to_json().encode()) == game()
    assert Game.deal(Options(), 0).draws == Game.new(seed=0).draws


def test_trainers_doors_refuse_wrong_types():
    pytest.importorskip("torch", reason="the training extra is not installed")
    from training.config import ConfigError, from_dict, read
    from training.networks import read_weights
    from training.state import read_state
    from training.train_ppo import PpoConfig

    for call in (read_weights, read_state):
        refuses(call, PATH, CheckpointError)
    refuses(lambda x: read(PpoConfig, x), PATH, ConfigError)
    refuses(lambda x: from_dict(PpoConfig, x), "", ConfigError)


def test_what_a_value_is_not_gets_one_sentence(tmp_path, monkeypatch):
    legal, empty = int(game().legal_actions()[0]), np.zeros_like(seen())
    both = np.stack([seen(), seen()])
    data = json.loads(game().to_json()) | {"actions": {}}
    frozen = np.zeros(1, np.uint64)
    frozen.flags.writeable = False
    (tmp_path / "broken.py").write_text("import nothing_of_this_name")
    monkeypatch.syspath_prepend(tmp_path)
    for call, part in (
        (lambda: game().why_illegal(legal), "is legal"),
        (lambda: game().determinise(0, frozen), "rng is a read-only array"),
        (lambda: Game.from_json(json.dumps(data)), "actions is {} (dict), expected a list"),
        (lambda: Game.new(decisions=np.zeros(2)), "decisions is array"),
        (lambda: Game.new(10**5000), "num_players is a number too large to show"),
        (lambda: transform_action(1, 10**6, seen(), 2, 15), "action is 1000000, expected 0 to"),
        (lambda: transform_observation(1, empty, 2, 15), "has no jungle tile"),
        (lambda: transform_observation(1, both, 2, 15), "not an array of shape (2, "),
        (lambda: need("broken", "Broken", "all"), "can't be imported (No module named 'nothing"),
        (lambda: need("nothing_of_this_name", "It", "all"), "It is not installed"),
    ):
        with pytest.raises(ValueError, match=re.escape(part)) as error:
            call()
        assert "\n" not in str(error.value)
