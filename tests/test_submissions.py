"""Results that check themselves: what does not follow from the commitment and the games is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="the data extra is not installed")
pytest.importorskip("choix", reason="the evaluate extra is not installed")

from cacao_env.agents import checkpoint
from cacao_env.cli import main
from cacao_env.data import SHIPPED, DataError, load, storage
from cacao_env.data.submissions import (
    board,
    check,
    check_all,
    commitment,
    hardest_mix,
    seed_of,
    submit,
)
from cacao_env.envs.tasks import task_named
from cacao_env.evaluation.ratings import deviation_ratings
from cacao_env.evaluation.summary import summarise
from tests.checkpoints import value_checkpoint
from tests.test_data import changed, sealed


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Submissions of random and of greedy, each against the other."""
    path = tmp_path_factory.mktemp("submissions")
    submit(path / "random", "random", task_named("2p-greedy"), 3, "an oak", what="random moves")
    submit(path / "greedy", "greedy", task_named("2p-random"), 3, "a fir", "the public text")
    return path


def test_a_submission_is_counted_again(home):
    found = check(home / "random", commitment("an oak"), share=1)
    assert found.sampled == len(found.result.games) == 6
    assert found.about["what"] == "random moves"
    games = load(home / "random")
    assert games.deals.tolist() == np.repeat(seed_of("an oak") + np.arange(3), 2).tolist()
    for number, played in enumerate(found.result.games):
        assert played.scores == games[number].scores()
        assert np.array(played.gold).sum(1).tolist() == played.scores
        assert sum(played.decisions) == len(played.actions)
    timings = found.result.timings
    assert timings["random"].decisions + timings["greedy"].decisions == len(games.actions)
    assert seed_of("an oak") != seed_of("an oak", "text") != seed_of("a fir", "text")


def about(**given):
    def change(table, manifest):
        return table, {**manifest, "submission": {**manifest["submission"], **given}}

    return change


def recipe(**given):
    return lambda table, manifest: (table, {**manifest, "recipe": {**manifest["recipe"], **given}})


def timing(name, **given):
    def change(table, manifest):
        entry = manifest["files"][0]
        timings = {**entry["timings"], name: {**entry["timings"][name], **given}}
        return table, {**manifest, "files": [{**entry, "timings": timings}]}

    return change


def rows(*numbers):
    return lambda table, manifest: (table.take(list(numbers)), manifest)


def column(name, change):
    return lambda table, manifest: (changed(table, name, change), manifest)


def lucky(values):
    values[4][7][0] += 0.01


OAK = seed_of("an oak")
WRONG = {
    "phrase": (about(phrase="an ash"), "the phrase is not the one of the commitment"),
    "seed": (recipe(seed=5), "the deals were chosen"),
    "public": (about(public="later"), "the deals were chosen"),
    "missing": (rows(0, 1, 2, 3, 4), "there are 5 games, expected 2 of each of 3 deals"),
    "doubled": (rows(0, 1, 0, 1, 2, 3), f"game 2 has deal {OAK}, not {OAK + 1}"),
    "exchanged": (rows(2, 3, 0, 1, 4, 5), f"game 0 has deal {OAK + 1}, not {OAK}"),
    "same seats": (rows(0, 1, 2, 3, 4, 4), r"game 5 has seats \['random', 'greedy'\], expected"),
    "seats": (
        rows(0, 1, 2, 3, 5, 4),
        r"game 4 has seats \['greedy', 'random'\], expected \['random', 'greedy'\]",
    ),
    "luck": (column("luck", lucky), "game 4: its luck is not that of its draws"),
    "no luck": (lambda t, m: (t.drop_columns(["luck"]), m), "is not a submission: .*luck"),
    "short luck": (column("luck", lambda v: v[0].pop()), "luck has not a value for each action"),
    "odd luck": (column("luck", lambda v: v[0][0].pop()), "luck has not two values"),
    "endless": (column("luck", lambda v: v[0][0].__setitem__(0, np.inf)), "are not finite"),
    "fast": (
        timing("random", seconds=1e-6, placement_seconds=0.0),
        "random can't have made its decisions in 1e-06 seconds",
    ),
    "more than all": (timing("random", placement_seconds=1e3), "can't have made its decisions"),
    "slow": (timing("random", seconds=1e6), "the moves took longer than the"),
    "no number": (timing("random", seconds=float("nan")), "seconds is nan"),
    "negative": (timing("random", placement_seconds=-0.5), "placement_seconds is -0.5"),
    "uncounted": (timing("greedy", decisions=999), "greedy has 999 times, but"),
    "text": (about(agent=["x"]), "agent is"),
    "cell": (about(what="a | b"), "expected a line"),
    "long": (about(what="x" * 501), "expected a line"),
    "dates": (about(started="today"), "is not a submission: Invalid isoformat"),
    "code": (about(opponent="os:path"), "against os:path; 2p-greedy has .* against greedy"),
    "other task": (about(task=task_named("4p-greedy").id), "2 players.*; 4p-greedy has 4 players"),
    "no task": (about(task="3p-nobody"), "there is no task '3p-nobody'"),
    "recipe": (recipe(agents={"greedy": "built-in"}), "the recipe's agents are"),
    "version": (recipe(agents={"random": "", "greedy": "2"}), "greedy has another version here"),
    "nothing": (lambda t, m: (t, {**m, "submission": None}), "is not a submission"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_follow_is_refused(home, tmp_path, name):
    change, why = WRONG[name]
    games = load(home / "random")
    table, manifest = change(games.table, games.manifest)
    sealed(tmp_path / "x", table, manifest)
    with pytest.raises(DataError, match=why) as refused:
        check(tmp_path / "x", share=1)
    assert "\n" not in str(refused.value)


def test_an_opponent_that_plays_otherwise_is_refused(home, tmp_path):
    """Greedy is said to have played what random played."""
    games = load(home / "greedy")
    other = {"greedy": "mine", "random": "greedy"}
    names = [[other[name] for name in row] for row in games.table.column("agents").to_pylist()]
    table = games.table.set_column(5, "agents", pa.array(names))
    manifest = json.loads(json.dumps(games.manifest))
    task = task_named("2p-greedy").id
    manifest["submission"] |= {"agent": "mine", "opponent": "greedy", "task": task}
    manifest["recipe"]["agents"] = {"mine": "1", "greedy": "built-in"}
    timings = manifest["files"][0]["timings"]
    manifest["files"][0]["timings"] = {other[name]: row for name, row in timings.items()}
    sealed(tmp_path / "x", table, manifest)
    with pytest.raises(DataError, match=r"game \d, action number \d+: greedy chooses otherwise"):
        check(tmp_path / "x", share=0)


def test_texts_are_checked_before_the_games_and_stay(tmp_path):
    given = (tmp_path / "x", "random", task_named("2p-greedy"), 1, "an elder")
    with pytest.raises(DataError, match=r"what is 'a \| b', expected a line"):
        submit(*given, what="a | b")
    assert not (tmp_path / "x").exists()
    submit(*given, what="moves", workers=2)
    with pytest.raises(ValueError, match="its what is 'moves', here 'others'"):
        submit(*given, what="others")
    for workers, most in ((1, 2), (3, 3)):  # a part of the games had so many
        assert submit(*given, what="moves", workers=workers)["submission"]["workers"] == most


def test_the_leaderboard_has_every_submission(home, monkeypatch):
    def apart(names, results):
        numbers = [{game.block for game in result.games} for result in results]
        assert len(numbers) > 1
        assert not set.intersection(*numbers), "different deals have one number"
        return summarise(names, results)

    monkeypatch.setattr("cacao_env.data.submissions.summarise", apart)
    text = board(check_all(home))
    assert text.startswith("### 2 players\n")
    assert "| random | random moves | cacao_env/Cacao-2p-greedy-v0 | 3 |" in text
    assert "| greedy | 50.0% |\n| random | 0.0% |" in text  # the hardest mix is greedy alone
    assert f"{commitment('an oak')[:12]} |" in text


def test_more_than_all_games_can_t_be_checked_again(home):
    with pytest.raises(ValueError, match=r"share is 1\.5, expected 0 to 1"):
        check(home / "random", share=1.5)


def test_a_data_set_is_no_submission():
    with pytest.raises(DataError, match="expert-2p is a data set, expected a submission"):
        check("expert-2p")


def test_the_opponent_is_the_task_s_own(home, tmp_path, monkeypatch):
    value_checkpoint(tmp_path / "trinitario")
    task = task_named("2p-trinitario")
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_HOMES", (tmp_path,))
        with pytest.raises(ValueError, match="the checkpoint trinitario has checksum"):
            submit(tmp_path / "x", "greedy", task, 1, "a yew")
    assert not (tmp_path / "x").exists()

    def other(task):
        raise ValueError("the opponent has another checksum")

    monkeypatch.setattr("cacao_env.envs.tasks.Task.opponent", other)
    with pytest.raises(DataError, match="the opponent has another checksum"):
        check(home / "random")


def test_placements_alone_are_a_table_of_their_own(tmp_path):
    submit(tmp_path / "x", "random", task_named("2p-placements-greedy"), 1, "a pine")
    assert board(check_all(tmp_path)).startswith("### 2 players, decisions turn\n")


def test_agents_that_never_met_are_in_tables_of_their_own(home):
    found = check(home / "random", share=0)

    def renamed(agent, opponent, some):
        pairing = replace(found.result.pairing, agent=agent, opponent=opponent)
        result = replace(found.result, pairing=pairing, games=some)
        return replace(found, about={**found.about, "agent": agent}, result=result)

    few, all_games = found.result.games[:2], found.result.games
    text = board([renamed("a", "greedy", few), renamed("b", "greedy", all_games)])
    assert text.count("### 2 players") == 1
    text = board([renamed("a", "greedy", few), renamed("b", "random", all_games)])
    assert text.count("### 2 players") == 2
    joined = [renamed("a", "random", all_games), renamed("b", "random", few)]
    assert board([*joined, renamed("a", "greedy", few)]).count("### 2 players") == 1


def test_the_reference_scores_of_named_tasks_are_what_they_say():
    found = check_all(SHIPPED / "submissions", share=0)
    assert {one.about["task"] for one in found} == {
        task_named(name).id
        for name in ("2p-random", "2p-greedy", "4p-greedy", "2p-volcanoes-greedy")
    }
    assert {one.result.pairing.players for one in found} == {2, 4}
    assert all(one.sampled == 1 for one in found)
    assert "| agent | wins of the hardest mix of greedy |" in board(found)


def test_an_agent_is_submitted_once(home, tmp_path):
    for name in "ab":
        (tmp_path / name).symlink_to(home / "random")
    with pytest.raises(DataError, match="random is submitted twice against greedy"):
        check_all(tmp_path)
    with pytest.raises(DataError, match="there is no submission in"):
        check_all(tmp_path / "c")
    (tmp_path / "b").unlink()
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / storage.MANIFEST).write_text("{}")
    with pytest.raises(DataError, match=r"^c: .*expected 'cacao-data'"):
        check_all(tmp_path)


def test_copies_on_the_leaderboard_change_no_rating_of_others():
    def rows(**wins):
        return [
            {"agent": agent, "opponent": opponent, "win_share": share}
            for agent, shares in wins.items()
            for opponent, share in zip(("greedy", "random"), shares)
        ]

    results = rows(mine=(0.6, 0.9), yours=(0.7, 0.4), random=(0.1,))
    table = hardest_mix(results, ["greedy", "random"], 2).rows
    copies = rows(**{f"copy{n}": (0.7, 0.4) for n in range(9)}, part=(0.99,))
    more = hardest_mix([*results, *copies], ["greedy", "random"], 2).rows
    assert {name for name, _ in table} == {"mine", "yours", "random"}  # who met both
    assert dict(table).items() <= dict(more).items()
    assert dict(more)["copy3"] == dict(table)["yours"]
    assert "part" not in dict(more)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_copies_of_agents_and_opponents_change_no_rating(players):
    rng = np.random.default_rng(players)
    for _ in range(5):
        shares = rng.uniform(0, 2 / players, (6, 4))
        found = deviation_ratings(shares)
        agent, opponent = rng.integers(6), rng.integers(4)
        copied = np.append(shares, shares[[agent] * 3], axis=0)
        copied = np.append(copied, copied[:, [opponent] * 2], axis=1)
        again = deviation_ratings(copied)
        np.testing.assert_allclose(again[:6], found, atol=1e-6)
        np.testing.assert_allclose(again[6:], found[agent], atol=1e-6)


def test_the_mix_is_the_hardest_for_the_best_then_for_the_next():
    # Only the second opponent beats the best agent, so the mix is that opponent alone.
    shares = np.array([[0.9, 0.4], [0.1, 0.4], [0.8, 0.3]])
    np.testing.assert_allclose(deviation_ratings(shares), [0.4, 0.4, 0.3], atol=1e-6)
    # Rock, paper and scissors are equal; an agent that loses to each a little is behind by that.
    circle = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5], [0.4, 0.4, 0.4]])
    np.testing.assert_allclose(deviation_ratings(circle), [0.5] * 3 + [0.4], atol=1e-6)
    # Both opponents are as hard for the first two agents, so the third decides between them.
    level = np.array([[0.5, 0.5], [0.5, 0.5], [0.4, 0.1]])
    np.testing.assert_allclose(deviation_ratings(level), [0.5, 0.5, 0.1], atol=1e-6)


def test_the_commands_commit_make_check_and_rank(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["submit", "commit", "--phrase", "an elm"]) == 0
    published = capsys.readouterr().out.strip()
    make = ["submit", "make", "all/mine", "--agent", "random", "--task", "2p-greedy"]
    assert main([*make, "--phrase", "an elm", "--deals", "1", "--workers", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("random against greedy, 2 players: wins")
    assert "2 games replayed" in shown
    assert "and that only one phrase was tried" in shown
    assert main(["submit", "check", "all/mine", "--published", published, "--share", "1"]) == 0
    assert main(["submit", "check", "all/mine", "--published", "0"]) == 1
    assert "is not the one that was published" in capsys.readouterr().err
    assert main(["leaderboard", "--submissions", "all"]) == 0
    assert capsys.readouterr().out.startswith("### 2 players")
    assert main(["submit", "make", "other"]) == 1
    assert "agent is missing" in capsys.readouterr().err


def test_the_share_that_is_checked_again_is_an_option(monkeypatch, tmp_path):
    given = []
    name = "cacao_env.data.submissions."
    monkeypatch.setattr(name + "check_all", lambda *more: given.append(more) or [])
    monkeypatch.setattr(name + "board", lambda found: "")
    main(["leaderboard", "--submissions", str(tmp_path), "--share", "0.5"])
    assert given[0][:2] == (tmp_path, 0.5)
