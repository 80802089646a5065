"""Cacao Positions: the shipped file, and what an agent loses in it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cacao_env.agent import RANDOM, Agent, AgentError
from cacao_env.cli import main
from cacao_env.engine.options import Options
from cacao_env.evaluation import positions
from cacao_env.evaluation.positions import FILE, STAGES, SUBSET, ask, figures, read_positions
from cacao_env.registry import load_agent
from tests.sources import ROOT
from tests.tiers import slow

HERE = "tests.agents_for_tests"
SHIPPED = read_positions()


def asked(spec, found, workers=1):
    return ask(spec, load_agent(spec, allow_code=True), found, 0, workers, lambda count: None)


def test_the_shipped_positions_follow_from_their_deals():
    kinds = set()
    for one in SHIPPED:
        game = one.game()  # or ValueError
        kinds.add((one.options.num_players, one.options.volcanoes, one.stage))
        assert one.options == Options((2, 3, 2, 4)[one.number % 4], one.number // 12 % 4 == 3)
        assert one.stage == one.number % len(STAGES)
        assert len(one.gold) == len(one.win) == len(one.placements) == len(set(one.placements))
        assert min(one.gold) == one.gold[0] == one.win[0] == 0
        assert len(one.errors) >= min(3, len(game.legal_actions()))
        assert all(len(losses) == len(one.errors) for losses in one.by_referee)
    assert len(kinds) == 3 * 2 * len(STAGES)
    assert FILE.stat().st_size < 2_000_000
    moved = replace(SHIPPED[0], seed=SHIPPED[1].seed)
    with pytest.raises(ValueError, match=r"position 0 does not follow|illegal"):
        moved.game()


def test_losses_are_those_of_the_choices_and_their_means_by_hand():
    """An agent that knows the table loses what it says: nothing, little, and the most."""
    found = [one for one in SHIPPED if one.options == Options(2)][:12]
    choices = [one.placements[(0, 1, -1)[one.number % 3]] for one in found]
    answers = [
        positions.Answer(one.number, action, *at(one, action), None)
        for one, action in zip(found, choices, strict=True)
    ]
    whole, two, *stages = figures(found, answers)
    gold = [answer.gold for answer in answers]
    assert whole["gold"] == two["gold"] == pytest.approx(np.mean(gold))
    assert whole["gold_low"] < whole["gold"] < whole["gold_high"]
    assert whole["best"] == np.mean(np.array(gold) < 0.05)
    assert (whole["players"], whole["stage"]) == (None, None)
    assert (two["players"], two["stage"]) == (2, None)
    for row in stages:
        own = [a.win for p, a in zip(found, answers) if STAGES[p.stage] == row["stage"]]
        assert (row["positions"], row["win"]) == (len(own), pytest.approx(np.mean(own)))


def at(position, action):
    place = position.placements.index(action)
    return position.gold[place], position.win[place]


class Looker(Agent):
    """Notes the games that it is handed."""

    name, version = "looker", "1"
    seen: list = []  # noqa: RUF012

    def act(self, games, memory):
        Looker.seen += games
        return [int(game.legal_actions()[0]) for game in games]


def test_an_agent_is_asked_once_and_sees_no_hidden_tile():
    few = SHIPPED[:6]
    Looker.seen.clear()
    answers = asked(f"{__name__}:Looker", few)
    assert [answer.number for answer in answers] == [one.number for one in few]
    for one, answer, seen in zip(few, answers, Looker.seen, strict=True):
        game = one.game()
        assert seen.history == game.history
        assert seen.draws != game.draws
        assert (answer.gold, answer.win) == at(one, answer.action)
        place = one.placements.index(answer.action)
        judged_long = place < len(one.errors)
        expected = [losses[place] for losses in one.by_referee] if judged_long else None
        assert answer.by_referee == expected


@slow
def test_networks_lose_less_than_greedy_and_the_number_of_processes_changes_nothing():
    names = "trinitario", "greedy", "random"
    trinitario, greedy, random = (figures(SHIPPED, asked(name, SHIPPED))[0] for name in names)
    assert trinitario["gold"] < greedy["gold"] < random["gold"]
    assert greedy["gold_high"] < random["gold_low"]
    assert asked(f"{HERE}:Half", SHIPPED) == asked(f"{HERE}:Half", SHIPPED, workers=2)


def test_several_agents_are_ranked_in_a_page(tmp_path, capsys):
    page, file = tmp_path / "page.md", tmp_path / "all.json"
    command = ["positions", "greedy", "trinitario", "--page", str(page), "--json", str(file)]
    command.append("--subset")
    page.write_text("no markers")
    assert main(command) == 1
    assert "has no lines <!-- results -->" in capsys.readouterr().err
    page.write_text("Before\n<!-- results -->\n<!-- end of results -->\nAfter\n")
    assert main(command) == 0
    text = page.read_text()
    assert (text[:7], text[-6:]) == ("Before\n", "After\n")
    rows = [
        [cell.strip() for cell in line[1:-1].split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ][2:]
    assert [row[0] for row in rows] == ["trinitario", "greedy"]
    greedy, trinitario = (one["answers"] for one in json.loads(file.read_text()))
    lost = [np.array([one["gold"] for one in each]) for each in (trinitario, greedy)]
    for row, values in zip(rows, lost, strict=True):
        assert row[1].startswith(f"{values.mean():.3f} [")
    assert rows[1][2].startswith(f"{(lost[1] - lost[0]).mean():+.3f} [")
    assert main(["positions", "greedy", *command[3:]]) == 0
    assert json.loads(file.read_text())["agent"].keys() == {"greedy"}  # one, not a list
    four = [one.number for one in SHIPPED[:SUBSET] if one.options.num_players == 4]
    assert rows[0][6] == f"{lost[0][four].mean():.3f}"
    assert rows[0][2:4] == ["", ""]
    pairs = [
        (one["by_referee"], other["by_referee"])
        for one, other in zip(greedy, trinitario, strict=True)
        if one["by_referee"] and other["by_referee"]
    ]
    gains = np.mean([np.array(one) - other for one, other in pairs], axis=0)
    assert rows[1][3].split(" / ") == [f"{gain:+.3f}" for gain in gains]


class Helped(Looker):
    """Leaves every third choice to chance."""

    def begin(self, seed):
        return seed

    def notes(self, memory):
        return {"counts": {"moves": 1} | ({RANDOM: 1} if memory % 3 == 0 else {})}


def test_an_agent_that_is_helped_is_named(tmp_path, capsys):
    page, name = tmp_path / "page.md", f"{__name__}:Helped"
    page.write_text("<!-- results -->\n<!-- end of results -->\n")
    assert main(["positions", name, "--subset", "--json", str(tmp_path / "one.json")]) == 0
    own = sum(one["own"] for one in json.loads((tmp_path / "one.json").read_text())["answers"])
    sentence = f"looker: {own} of 100 moves are its own, the others random."
    assert 50 < own < 80
    assert capsys.readouterr().out.splitlines()[-1] == sentence
    assert main(["positions", name, "greedy", "--subset", "--page", str(page)]) == 0
    assert sentence in page.read_text()
    assert capsys.readouterr().out.splitlines()[-1] == sentence


class Outside(Looker):
    """Chooses what is not legal."""

    def act(self, games, memory):
        return [0 for _ in games]


def test_what_an_agent_does_not_play_or_may_not_do():
    some = [one for one in SHIPPED if one.options.num_players == 2][:2]
    three = next(one for one in SHIPPED if one.options.num_players == 3)
    assert [a.number for a in asked("forastero", [*some, three])] == [one.number for one in some]
    with pytest.raises(AgentError, match=r"looker in position \d+: illegal action 0"):
        asked(f"{__name__}:Outside", some)


def test_agents_without_a_position_in_common_are_refused_before_they_are_asked(capsys, monkeypatch):
    monkeypatch.setattr(positions, "ask", None)
    monkeypatch.setattr(Outside, "players", (3, 4), raising=False)
    assert main(["positions", "forastero", f"{__name__}:Outside", "--workers", "1"]) == 1
    assert "no position is played by all of forastero, " in capsys.readouterr().err


# --- Puzzles --------------------------------------------------------------------------------------


def test_the_page_has_every_position_with_one_clearly_best_placement():
    text = (ROOT / "cacao_env/play/page/src/puzzles.json").read_text(encoding="utf-8")
    made = {one["number"]: one for one in json.loads(text)}
    assert set(made) == {one.number for one in SHIPPED if sorted(one.gold)[1] >= 1}
    for one in SHIPPED:
        if one.number in made:
            found, best = made[one.number], one.placements[0]  # it loses nothing
            workers, jungle = one.game().draws
            deal = {"worker_draws": workers, "jungle_draws": jungle}
            assert json.dumps(found["deal"]) == json.dumps(deal)
            assert found["actions"] == one.actions
            assert found["best"] == best
            assert found["losses"] == {
                str(action): round(gold, 1) for action, gold in zip(one.placements, one.gold)
            }
            right = sum(choice == best for choice in one.chosen.values())
            assert found["level"] == (0 if right >= 3 else 1 if right else 2)
    assert {one["level"] for one in made.values()} == {0, 1, 2}


def test_the_command_asks_with_its_seed(tmp_path):
    found = []
    for seed in "112":
        file = tmp_path / "found.json"
        assert main(["positions", "random", "--subset", "--seed", seed, "--json", str(file)]) == 0
        found.append(json.loads(file.read_text())["rows"])
    assert found[0] == found[1] != found[2]
