"""Positions and replies as text: nothing hidden, nothing guessed, within their tokens."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from cacao_env import Game, record
from cacao_env.agents.random import random_action
from cacao_env.check.examples.stand_in import legal_moves
from cacao_env.engine.options import DECISIONS
from cacao_env.engine.rng import new_rng
from cacao_env.render.position import position_of
from cacao_env.text.prompt import primer, prompt
from cacao_env.text.reply import Refused, action_of
from cacao_env.text.table import TextTable
from cacao_env.text.trl import CacaoTools
from tests import text_proofs
from tests.agents_for_tests import Crowded, Failing, First, Spy
from tests.games import STYLES, any_game, game_after, positions
from tests.text_players import perfect

DIRECTED = Path(__file__).parent / "directed"


def some_games(seeds=2, **options):
    """Positions of games of all kinds."""
    for players in (2, 3, 4):
        for style in STYLES.values():
            for seed in range(seeds):
                game = Game.new(players, seed, volcanoes=bool(seed % 2), **options)
                yield from positions(game, np.random.default_rng(seed), style)


@pytest.mark.parametrize("decisions", ["auto", "explicit", "turn"])
def test_a_prompt_lists_exactly_the_legal_moves(decisions):
    for number, game in enumerate(some_games(1, decisions=decisions)):
        if game.seat is not None and number % 5 == 0:
            legal = [game.text(int(action)) for action in game.legal_actions()]
            assert sorted(legal_moves(prompt(game, game.seat))) == sorted(legal)
            assert "Legal" not in prompt(game, game.seat, listed=False)
            other = prompt(game, (game.seat + 1) % game.num_players)
            assert "_" not in other
            assert "Legal" not in other, "moves are listed for the seat that decides alone"


def signs_by_cell(text):
    """The table of a prompt, and whether its lines are columns."""
    head, *lines = text[text.index("Table, a line") :].split("\n")
    down, found = "column, going south" in head, {}
    for line in lines:
        if (at := re.match(r"(-?\d+),(-?\d+): (.*)", line)) is None:
            break
        row, column = int(at[1]), int(at[2])
        for step, sign in enumerate(at[3].split(" ")):
            if sign != ".":
                found[(row + step, column) if down else (row, column + step)] = sign
    return found, down


def test_every_tile_is_in_its_cell_of_a_prompt_s_table_however_tall():
    forms = set()
    for game in positions(
        Game.new(4, 5, table_size=32), np.random.default_rng(5), STYLES["stretch"]
    ):
        tiles = position_of(game, 0)["tiles"]
        found, down = signs_by_cell(prompt(game, 0))
        forms.add(down)
        assert found.keys() == {(tile["row"], tile["column"]) for tile in tiles}
        for tile in tiles:
            if "edges" in tile:
                sign = found[tile["row"], tile["column"]].rstrip("*")
                assert sign[1:] == "".join(map(str, tile["edges"]))
                assert "ABCD".index(sign[0].upper()) == tile["owner"]
    assert forms == {False, True}


def test_primer_and_prompts_keep_to_their_tokens():
    tekken = pytest.importorskip("mistral_common.tokens.tokenizers.tekken")
    data = Path(tekken.__file__).parents[2] / "data" / "tekken_240911.json"
    encode = tekken.Tekkenizer.from_file(data).encode
    for tool in (False, True):
        assert len(encode(primer(tool), bos=False, eos=False)) <= 900
    some = (game for game in some_games(1, decisions="explicit") if game.seat is not None)
    longest = sorted((prompt(game, game.seat) for game in some), key=len)[-200:]
    assert 400 < max(len(encode(text, bos=False, eos=False)) for text in longest) <= 600


def test_doors_with_tools_ask_for_the_tool_and_others_for_json():
    assert "JSON" in primer()
    assert "the tool play" not in primer()
    assert "JSON" not in primer(tool=True)
    assert "the tool play" in primer(tool=True)
    assert CacaoTools().reset(seed=1).startswith(primer(tool=True))
    pytest.importorskip("mcp")
    assert text_proofs.mcp.server().instructions == primer(tool=True)


def test_a_prompt_without_a_list_names_the_edges_of_the_seat_that_decides():
    seen = set()
    for game in some_games(1, decisions="explicit"):
        if game.phase == "act":
            (line,) = (x for x in prompt(game, game.seat, listed=False).split("\n") if "Still" in x)
            told = re.findall(r"act (\S+ \w+) with", line)
            legal = re.findall(r"act (\S+ \w+) with", prompt(game, game.seat))
            assert sorted(set(told)) == sorted(set(legal))
            seen.add(game.seat == game.state.active)
    assert seen == {True, False}


@pytest.mark.parametrize("decisions", DECISIONS)
def test_a_prompt_says_whether_placements_alone_are_asked(decisions):
    first = prompt(Game.new(2, 0, decisions=decisions), 0).splitlines()[0]
    assert first.endswith(" Steps 2 and 3 are played for everyone.") == (decisions == "turn")


def test_no_answer_of_any_door_depends_on_what_is_hidden():
    assert text_proofs.leaks(40, 5) == []
    assert text_proofs.leaks(8, 6, text_proofs.with_hints, again=Game.determinise) == []


@given(any_game("auto"))
def test_seats_exchanged_give_the_same_prompts_up_to_names(deal):
    for number, (here, _) in enumerate(deal.positions()):
        if here.seat is not None and number % 7 == 0:
            other = text_proofs.exchanged(here)
            players = deal.players
            for seat in range(players):
                renamed = text_proofs.with_other_names(prompt(here, seat), players)
                assert prompt(other, (seat + 1) % players) == renamed


def test_damaged_replies_are_refused_in_one_sentence_or_play_what_they_state():
    played, refused, wrong = text_proofs.wrongly_played(2000, 7)
    assert not wrong, wrong[:3]
    assert played > 200
    assert refused > 1000


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "The reply is empty"),
        ('{"move": "place 1111/0 at 50,51"}', "illegal: cell 50,51 is far from every tile."),
        ('{"move": "place 2101/0 at 0,1"}', "illegal: the tile is not in hand."),
        ('{"move": "act 0,1 south with 1"}', "the decision to make now is to place."),
        ('{"move": "place 1111/0 at 0,1"} {"move": ', "JSON object without an end."),
        ('{"move": "place 1111/0 at 0,1"}\nplace 1111/0 at 1,0', "states another move after"),
        ('{"move": "place 1111/0 at 0,1", "move": "place 1111/0 at 1,0"}', "has a key twice."),
        ('{"move": "place １111/0 at 0,1"}', "expected text such as"),
        ("place 1111/0 at 0,1" + " " * 90 + "would be foolish", "states no move"),
        ("x" * 20_001, "has 20001 characters, expected at most 20000."),
    ],
)
def test_what_is_no_single_legal_move_is_refused(reply, why):
    game = Game.new(2, 1)  # with 1111 and 3100 in hand
    with pytest.raises(Refused, match=r"^[A-Z].*\.$") as found:
        action_of(game, reply)
    assert why in str(found.value)


def test_a_table_gives_so_many_tries_and_then_forfeits_or_plays_at_random():
    with pytest.raises(ValueError, match="listed is 'no'"):
        TextTable(1, listed="no")
    table = TextTable(1, tries=2)
    why = "The reply states no move, expected one such as place 2101/1 at 0,1 at its end."
    assert table.reply("I pass.") == why
    assert table.reply("No.").endswith("; this was try 2 of 2, so the game is forfeited.")
    assert (table.over, table.win_shares()) == (True, [0.0, 1.0])
    assert table.rewards("gold")[0] == -table.rewards("gold")[1] < -100
    assert table.prompt() == "The game is over: A forfeited it."
    assert table.reply("x") == "The game is over."
    table = TextTable(1, tries=1, num_players=3)
    table.reply("No.")
    assert table.win_shares() == [0.0, 0.5, 0.5]
    lost, *rest = table.rewards("gold")
    assert rest == [pytest.approx(-lost / 2)] * 2
    both = [TextTable(1, tries=1, failure="random", opponents="greedy") for _ in range(2)]
    for table in both:
        while not table.over:
            table.reply("I pass.")
        assert table.refused[0] > 10
    assert both[0].game == both[1].game
    same = []
    for seed in range(20):  # chance does not choose by the numbers that dealt the game
        table = TextTable(seed, tries=1, failure="random", opponents="greedy")
        by_deal = int(random_action(table.game.states.copy(), new_rng(seed)))
        table.reply("I pass.")
        same.append(table.game.history[0] == by_deal)
    assert sum(same) < 10
    assert both[0].answer("x") == both[0].prompt()
    assert both[0].win_shares() == both[0].game.win_shares()
    assert sum(both[0].rewards("gold")) == pytest.approx(0)


def test_a_seat_sees_no_refusal_of_another():
    table = TextTable(1, tries=2, failure="random", decisions="turn")
    assert "The reply states no move" in table.answer("I pass.")
    assert table.answer("I pass.") == table.prompt()
    assert table.seat == 1, "the next seat, after a random move"
    for _ in range(2):
        table.answer("I pass.")
    assert table.seat == 0, "as many tries as the other seat had"
    table.answer(perfect(table.prompt()))
    table.answer("I pass.")
    assert table.refused == [2, 3], "each seat has its own count"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"opponents": ["greedy", "greedy"]}, "opponents has 2 names, expected one or 1"),
        ({"opponents": "llm:gpt"}, "'llm:gpt' would contact a server, which only a name typed"),
        ({"failure": "pass"}, "failure is 'pass'"),
        ({"tries": 0}, "tries is 0, expected at least 1"),
        ({"seat": 2}, "seat is 2, expected 0 to 1"),
        ({"opponents": Crowded()}, "crowded plays with 3, 4 players"),
    ],
)
def test_a_table_that_can_t_be_set_says_why(given, why):
    with pytest.raises(ValueError, match=why):
        TextTable(1, **given)


def test_agents_at_a_table_do_not_see_the_true_deal():
    """Nor one that resembles it: places of the text's tiles agree as often as by chance."""
    spy = Spy()
    table = TextTable(3, opponents=spy, decisions="turn")
    while not table.over:
        assert table.reply(perfect(table.prompt())) == ""
    assert len(spy.games) == 11
    assert table.game.draws not in [game.draws for game in spy.games[:9]]
    agree = []
    for seed in range(40):
        spy.games.clear()
        table = TextTable(seed, opponents=spy, decisions="turn")
        table.reply(perfect(table.prompt()))
        (true,), (dealt,) = (game.draws[0][:1] for game in (table.game, spy.games[0]))
        agree.append(np.mean(np.array(true[4:]) == np.array(dealt[4:])))
    assert np.mean(agree) < 0.55, "by chance 0.37; 0.78 if the deal's numbers are used again"


def test_the_tools_of_mcp_play_several_games_by_their_names(monkeypatch, quick_reviews):
    monkeypatch.setattr(text_proofs.mcp, "MOST_GAMES", 2)
    tools = {tool.__name__: tool for tool in text_proofs.mcp.tools()}
    assert list(tools) == list(text_proofs.mcp.TOOLS)
    for tool, asked, why in (
        ("new_game", {"opponents": ["nobody"]}, "^there is no agent 'nobody'"),
        ("new_game", {"opponents": ["llm:m"]}, "only a name typed on the command line may do$"),
        ("look", {"game": "g7"}, "^there is no game 'g7'; new_game begins one$"),
    ):
        with pytest.raises(ValueError, match=why):
            tools[tool](**asked)
    first = tools["new_game"](opponents=["random"], seed=1, decisions="turn")
    assert first.startswith("Game g1.\nYou are A. Turn 1 of 22")
    shown = tools["new_game"](players=3, opponents=["random", "greedy"], seat=1, volcanoes=True)
    assert shown.startswith("Game g2.\nYou are B. Turn 2 of 30")
    assert tools["look"]("g1") in first
    best = tools["hint"]("g1", "greedy").partition(" (")[0]
    assert best in tools["legal_moves"]("g1").splitlines()
    for at in ("9,9", "at", "1"):
        why = f"No legal move has '{at}', expected a tile such as 2101 or a cell such as 0,1."
        assert tools["legal_moves"]("g1", at) == why
    of_tile = tools["legal_moves"]("g1", "3100")
    assert set(of_tile.split()) >= {"place", "3100/0", "3100/3", "0,1"}
    turned = [line for line in of_tile.splitlines() if "3100/3" in line]
    assert tools["legal_moves"]("g1", "3100/3").splitlines() == turned
    for at in ("(0, 1)", " 0,1"):
        assert tools["legal_moves"]("g1", at) == tools["legal_moves"]("g1", "0,1")
    shown = tools["look"]("g1")
    assert tools["review"]("g1") == "Only a finished game can be reviewed."
    while "The game is over" not in shown:
        shown = tools["play"]("g1", perfect(shown))
    assert tools["review"]("g1").splitlines()[1].startswith("A (text): ")
    assert tools["play"]("g1", "place 1111/0 at 0,1") == "The game is over."
    assert tools["hint"]("g1") == "The game is over."
    monkeypatch.setattr(text_proofs.mcp, "TRIES", 1)
    assert tools["new_game"]().startswith("Game g3.")
    assert json.loads(tools["look"]("g3", as_json=True))["forfeited"] is None
    shown = tools["play"]("g3", "I pass.")
    assert shown.endswith("; this was try 1 of 1, so the game is forfeited.")
    assert tools["review"]("g3") == "A forfeited game can't be reviewed."
    assert tools["hint"]("g3") == "The game is over."
    assert json.loads(tools["look"]("g3", as_json=True))["forfeited"] == 0
    with pytest.raises(ValueError, match="there is no game 'g1'"):
        tools["look"]("g1")


def test_only_what_has_shown_nothing_hidden_is_taken_back():
    tools = {tool.__name__: tool for tool in text_proofs.mcp.tools()}
    shown = tools["new_game"](seed=1, decisions="explicit")
    taken = refused = 0
    while "The game is over" not in shown:
        move, before = perfect(shown), shown
        shown = tools["play"]("g1", move)
        if (back := tools["take_back"]("g1")).startswith("You are"):
            taken += 1
            assert back in before
            assert tools["play"]("g1", move) == shown
        else:
            refused += 1
            assert back.startswith("Only an own action of this turn can be taken back")
    assert taken > 10
    assert refused > 10


def test_a_move_that_drew_a_hidden_tile_is_not_taken_back():
    drew = 0
    for path in DIRECTED.glob("three-cells-*.json"):
        game = record.check(json.loads(path.read_text()))
        for now, action in game.plies():
            after = game_after(now, action)
            same = (now.turn, now.seat) == (after.turn, after.seat)
            if same and now.state.jungle_drawn < after.state.jungle_drawn:
                table = TextTable(game.num_players, decisions=game.decisions)
                table.game = after
                assert text_proofs.mcp._take_back(table).startswith("Only an own action")
                assert table.game is after
                drew += 1
    assert drew


def test_after_an_agent_failed_its_turn_is_not_the_text_s():
    agent = Failing()
    table = TextTable(3, agent, decisions="turn")
    agent.fails = RuntimeError("no")
    with pytest.raises(RuntimeError, match="no"):
        table.reply(perfect(table.prompt()))
    assert table.seat != table.own
    agent.fails = None
    table.reply("nothing")  # the agent moves first
    assert table.seat == table.own
    assert table.refused[table.own] == 1


def test_one_object_with_act_is_an_opponent():
    assert TextTable(3, First(0)).names == ["text", "First"]
