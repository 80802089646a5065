"""Named tasks: frozen, the same from version to version, and measured."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from cacao_env.agent import seat_seed
from cacao_env.agents import checkpoint
from cacao_env.agents.bots import Bot
from cacao_env.cli import main
from cacao_env.envs.tasks import FREE, TASKS, task_named
from cacao_env.envs.versus import VersusGames
from cacao_env.evaluation import SEED, workers
from cacao_env.evaluation.blocks import Chunk, Pairing
from cacao_env.evaluation.matches import play_chunk
from cacao_env.registry import load_agent
from cacao_env.tables import BEGIN, END
from tests.checkpoints import value_checkpoint

PAGE = Path(__file__).parent.parent / "docs" / "tasks.md"
# (steps, score, best other score) of the episodes of seeds 0 to 2, always the first legal action.
# A task whose episodes change needs a new version (docs/tasks.md).
EPISODES = {
    "cacao_env/Cacao-2p-random-v0": [(26, 14, 28), (27, 26, 21), (28, 29, 28)],
    "cacao_env/Cacao-2p-greedy-v0": [(23, 20, 69), (21, 10, 73), (26, 14, 70)],
    "cacao_env/Cacao-2p-trinitario-v0": [(27, 8, 83), (25, 20, 80), (29, 9, 83)],
    "cacao_env/Cacao-4p-greedy-v0": [(18, 6, 56), (18, 10, 56), (19, 12, 57)],
    "cacao_env/Cacao-2p-volcanoes-greedy-v0": [(27, 3, 81), (28, 17, 72), (23, 10, 72)],
    "cacao_env/Cacao-2p-placements-greedy-v0": [(11, 28, 71), (11, 18, 73), (11, 33, 73)],
}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_is_the_same_as_ever(task):
    env = gymnasium.make(task.id, disable_env_checker=True)
    found = []
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        steps, over = 0, False
        while not over:
            seen, _, over, _, info = env.step(int(seen["action_mask"].argmax()))
            steps += 1
        found.append((steps, info["score"], info["best_other_score"]))
    assert found == EPISODES[task.id]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_is_made_one_by_one_and_in_batches(task):
    made = gymnasium.make(task.id)
    batch = gymnasium.make_vec(task.id, num_envs=2, copy=False)
    synchronous = gymnasium.make_vec(task.id, num_envs=2, vectorization_mode="sync")
    for games in (made.unwrapped.games, batch.unwrapped.games):
        assert games.options == task.options
        assert games.seat is None
        expected = VersusGames(1, task.opponent, task.options, begin=False)._opponents
        np.testing.assert_array_equal(games._opponents.probabilities, expected.probabilities)
    assert batch.observation_space == synchronous.observation_space
    assert json.loads(made.spec.to_json())["kwargs"] == {}
    for env in (made, batch, synchronous):
        env.reset(seed=0)


FROZEN = {"num_players": 3, "volcanoes": True, "decisions": "explicit", "table_size": 15}
FROZEN |= {"options": TASKS[0].options, "opponents": "greedy", "reward": "shaped"}
FROZEN |= {"seat": 0, "illegal": "raise"}


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize("name", FROZEN)
def test_a_task_refuses_to_be_changed(make, name):
    for task in TASKS:
        why = f"{name} is given, but {task.id} freezes its options;"
        with pytest.raises(ValueError, match=why):
            make(task.id, **{name: FROZEN[name]})


def test_a_task_refuses_another_checkpoint_of_its_opponent_s_name(tmp_path, monkeypatch, capsys):
    folder, _ = value_checkpoint(tmp_path / "trinitario")
    version = load_agent(str(folder)).version
    monkeypatch.setattr(checkpoint, "_HOMES", (tmp_path,))
    name = "cacao_env/Cacao-2p-trinitario-v0"
    words = f"checkpoint trinitario has checksum {version[:12]}, but {name} is"
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ValueError, match=words):
            make(name)
    assert main(["tasks", "--agents", "greedy", "--tasks", "2p-trinitario"]) == 1
    assert words in capsys.readouterr().err


def test_a_task_is_shown_as_the_caller_likes():
    free = {"mask_in": "info", "observation": "planes", "observation_dtype": "uint8"}
    env = gymnasium.make(TASKS[1].id, **free, render_mode="rgb_array_list")
    seen, info = env.reset(seed=0)
    assert seen["board"].dtype == np.uint8
    assert info["action_mask"].any()
    assert len(env.render()) == 1
    assert set(free) < set(FREE)


def test_tasks_are_known_without_their_environments():
    code = (
        "import sys, gymnasium, cacao_env\n"
        f"assert {TASKS[0].id!r} in gymnasium.registry\n"
        "assert 'cacao_env.envs.gym' not in sys.modules\n"
        f"gymnasium.make({TASKS[0].id!r})\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    gymnasium.make(f"cacao_env:{TASKS[0].id}")  # as where the package is not imported yet


def test_a_task_has_a_name():
    names = ("2p-greedy", "2p-greedy-v0", "cacao_env/Cacao-2p-greedy-v0")
    assert len({task_named(name).id for name in names}) == 1
    with pytest.raises(ValueError, match="there is no task '5p'; there are: 2p-random, 2p-greedy"):
        task_named("5p")
    with pytest.raises(ImportError, match="cannot import name 'five'"):
        from cacao_env.envs.tasks import five  # noqa: F401
    assert len({task.id for task in TASKS}) == len(TASKS)


# --- Reference scores -----------------------------------------------------------------------


def episodes(task, agent, first, deals):
    pairing = Pairing(task.options, agent.name, task.opponent, task.id)
    played = play_chunk(Chunk(pairing, range(first, first + deals)), {agent.name: agent}, SEED)
    return [(game.win_share(game.rotation), game.margin(game.rotation)) for game in played.games]


@pytest.mark.parametrize("name", ["2p-greedy", "4p-greedy"])
def test_an_agent_plays_the_episodes_of_their_seeds(name):
    task, agent = task_named(name), Bot("greedy")
    whole = episodes(task, agent, 0, 6)
    assert whole[2:5] == episodes(task, agent, 2, 3)
    assert {share for share, _ in whole} <= {0, 0.5, 1}
    env = gymnasium.make(task.id, disable_env_checker=True).unwrapped
    for deal in (0, 3):
        env.reset(seed=SEED + deal)
        seats = "greedy", "greedy"
        memory = agent.begin(seat_seed(SEED, deal, task.options, seats, env.seat))
        over = False
        while not over:
            *_, over, _, info = env.step(agent.act([env.game], [memory])[0])
        assert whole[deal] == (info["win_share"], info["score"] - info["best_other_score"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text(f"before\n{BEGIN}\n{END}\nafter\n")
    return tmp_path


COMMAND = ["tasks", "--page", "page.md", "--agents", "random,greedy", "--workers", "1"]


def test_the_command_writes_the_page_and_resumes(folder, capsys, monkeypatch):
    played = []
    play = workers.play_chunk

    def spy(chunk, *arguments):
        played.append((chunk.pairing.task, chunk.pairing.agent, list(chunk.blocks)))
        return play(chunk, *arguments)

    monkeypatch.setattr(workers, "play_chunk", spy)
    some = ["--tasks", "2p-random,4p-greedy"]
    assert main([*COMMAND, *some, "--deals", "12"]) == 0
    assert len(played) == 8
    first = Path("page.md").read_text()
    assert first.startswith("before\n")
    assert first.endswith("after\n")
    assert "| `greedy` | 100.0% [73.5%, 100.0%] | +" in first
    assert first.count("| 12 |") == 4
    played.clear()
    assert main([*COMMAND, *some, "--deals", "12"]) == 0
    assert not played
    assert Path("page.md").read_text() == first
    assert main([*COMMAND, "--tasks", "2p-random", "--deals", "16"]) == 0  # more of them
    task = TASKS[0].id
    new = [12, 13, 14, 15]
    assert sorted(played) == [(task, "greedy", new), (task, "random", new)]
    last = Path("page.md").read_text()
    assert last.count("| 16 |") == 2
    shutil.rmtree("runs")  # as in a fresh clone
    assert main([*COMMAND, "--tasks", "2p-random", "--deals", "4"]) == 0
    page = Path("page.md").read_text()
    assert page.count("| 4 |") == 2
    behind = "### `cacao_env/Cacao-4p-greedy-v0`"
    assert page[page.index(behind) :] == last[last.index(behind) :]
    assert main([*COMMAND[:3], "--agents", "random", "--tasks", "2p-random", "--deals", "5"]) == 0
    page = Path("page.md").read_text()  # a row of its own, the other agent's stays
    assert (page.count("| 4 |"), page.count("| 5 |")) == (1, 1)
    assert page.index("`random`") < page.index("`greedy`")
    capsys.readouterr()


def test_the_command_lists_the_tasks_and_prints_scores(folder, capsys):
    assert main(["tasks"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == [task.id for task in TASKS]
    assert main(["tasks", "--json", "-"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(one["id"], one["opponent"]) for one in listed] == [(t.id, t.opponent) for t in TASKS]
    command = ["tasks", "--tasks", "2p-random", "--agents", "random"]
    assert main([*command, "--deals", "4", "--workers", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("### `cacao_env/Cacao-2p-random-v0`")
    assert "| 4 |" in out


def test_the_page_has_every_task_and_its_opponent_s_version():
    page = PAGE.read_text(encoding="utf-8")
    for task in TASKS:
        assert page.count(f"### `{task.id}`") == 1
        assert page.count(f"| `{task.id}` |") == 1
    assert load_agent("trinitario").version[:12] in page
