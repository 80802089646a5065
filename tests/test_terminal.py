"""A game in the terminal, typed."""

import re
import subprocess
import sys
from contextlib import suppress

import pytest

from cacao_env import record
from cacao_env.agents.bots import split_names
from cacao_env.gold_sources import gold_by_source
from cacao_env.play.history import moves_in_words
from cacao_env.play.render.text import SIGNS
from cacao_env.play.table import HUMAN, Table
from cacao_env.play.terminal import Left, play_in_terminal


def typed(table, *lines, target=None):
    """What is written when lines are typed one after the other."""
    rest, written = list(lines), []

    def read(prompt):
        if not rest:
            raise Left
        return rest.pop(0)

    with suppress(Left):
        play_in_terminal(table, read, written.append, False, target)
    return "\n".join(written)


def test_a_whole_game_is_typed(tmp_path):
    table, target = Table([HUMAN, "greedy"], 3), tmp_path / "game.json"
    text = typed(table, *["list", "1"] * 100, target=target)
    assert table.game.over
    assert record.check(record.load(target)).scores() == table.game.scores()
    assert f"you {table.game.scores()[0]}, greedy {table.game.scores()[1]}" in text
    moves = [f"{'AB'[seat]} {words}" for seat, words in moves_in_words(table.game)]
    lines = [line.strip() for line in text.splitlines()]
    assert [line for line in lines if line in moves] == moves, "each move is shown once"


def test_a_number_is_the_choice_that_was_listed():
    for number in (1, 2, 17):
        table = Table([HUMAN, "random"], 4)
        text = typed(table, "list", str(number))
        listed = [line for line in text.splitlines() if line.startswith(f"  {number:>3}  ")]
        assert moves_in_words(table.game)[0][1] in listed[0]


def test_tiles_and_cells_name_choices():
    table = Table([HUMAN, "random"], 4)
    text = typed(table, "2101 0,1")
    assert "place 1-2-1-0 at 0,1" in text
    assert "1-1-1-1 at 0,1" not in text
    assert "place 1-1-1-1 at 0,1" in typed(table, "0,1")
    assert table.game.ply == 0
    assert "2-1-0-1 can't go to 5,5" in typed(table, "2101 5,5")
    typed(table, "0121 0,1")
    assert moves_in_words(table.game)[0][1] == "place 0-1-2-1 at 0,1"


def test_moves_in_full_undo_and_advice():
    table = Table([HUMAN, "random"], 4)
    text = typed(table, "place 1111/0 at 2,1", "undo", "best mc:sims=8", "best nobody", "help")
    assert table.game.ply == 0
    assert "of the win" in text
    assert "'nobody'" in text
    assert "undo         take back" in text


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("hello", "'hello' is not a move"),
        ("99", "there is no choice 99: no list was shown"),
        ("place 3001/0 at 9,9", "far from every tile|neither an empty one|not in hand|is taken"),
        ("\u00b2", "is not a move"),
        ("undo", "there is no decision of a person to take back"),
        ("", ""),
    ],
)
def test_what_makes_no_sense_is_said_and_changes_nothing(line, answer):
    table = Table([HUMAN, "random"], 4)
    assert re.search(answer, typed(table, line))
    assert table.game.ply == 0


def test_best_is_the_strongest_agent_and_the_signs_are_explained():
    text = typed(Table([HUMAN, "random"], 4), "best", "legend", "gold")
    assert "trinitario+search:ms=200:" in text
    for sign in SIGNS[1:]:
        assert f"{sign} " in text.partition("legend' what the signs mean")[2]
    assert "sales  mines  volcanoes  water  sun  temples  score" in " ".join(text.split("\n"))


def test_the_pile_is_listed_and_the_end_broken_down():
    table = Table([HUMAN, "greedy"], 4)
    text = typed(table, "table")
    assert "jungle tiles in the pile: 3 plantation1" in text
    table = Table(["greedy", "random"], 4)
    lines = typed(table).splitlines()
    scores, sources = table.game.scores(), gold_by_source(table.game).tolist()
    rows = [line.split() for line in lines if line.startswith(("A greedy ", "B random "))][-2:]
    assert [row[:2] for row in rows] == [["A", "greedy"], ["B", "random"]], "the winner first"
    for seat, row in enumerate(rows):
        assert row[2:] == [str(gold) for gold in [*sources[seat], scores[seat]]]


def test_hands_of_others_are_not_shown():
    assert "???? ???? ????" in typed(Table([HUMAN, "random"], 4), "table")


def command(*arguments, typed=""):
    return subprocess.run(
        [sys.executable, "-m", "cacao_env", "play", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=900,
    )


def test_the_command(tmp_path):
    run = command("--seats", "human,mc:sims=8,top=4,random", "--seed", "1", typed="quit\n")
    assert run.returncode == 1
    assert "A you, B mc:sims=8,top=4, C random" in run.stdout
    assert "the game was left before its end" in run.stdout
    run = command("--seats", "random,random", "--record", str(tmp_path / "g.json"))
    assert run.returncode == 0
    record.check(record.load(tmp_path / "g.json"))


def test_names_are_split_where_they_end():
    assert split_names("greedy,mc:sims=64,top=8,random") == ["greedy", "mc:sims=64,top=8", "random"]
    assert split_names("human, a+search:ms=5,width=4") == ["human", "a+search:ms=5,width=4"]
