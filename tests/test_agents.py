"""Agents: found by name, given no more than their seat may know, and independent of each other."""

import shutil
from functools import partial

import numpy as np
import pytest

from cacao_env import Game, registry
from cacao_env.agent import Agent, AgentError, WrappedAgent, play_game, seat_seed
from cacao_env.agents.checkpoint import find
from cacao_env.agents.onnx import load_policy
from cacao_env.agents.random import random_action
from cacao_env.engine.actions import indexed_cell
from cacao_env.engine.geometry import TORUS, window_fits
from cacao_env.engine.observation import observation_size, planes
from cacao_env.engine.options import Options
from cacao_env.engine.rng import new_rng
from cacao_env.views import View
from tests.agents_for_tests import First, Peeker, Spy
from tests.checkpoints import checkpoint, value_checkpoint
from tests.games import STYLES, played, positions

HERE = "tests.agents_for_tests"


load_agent = partial(registry.load_agent, allow_code=True)


def test_agents_are_found_by_name_folder_or_module(tmp_path):
    names = ["greedy", str(checkpoint(tmp_path)), f"{HERE}:First"]
    agents = registry.load_agents(names, allow_code=True)
    assert [agent.name for agent in agents] == ["greedy", "net", f"{HERE}:First"]
    assert agents[1].version != load_agent(str(checkpoint(tmp_path, seed=1))).version


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody", "there is no agent 'nobody': neither a bot .* nor a class"),
        ("no_such_module:X", "no_such_module:X: module 'no_such_module' can't be imported: Module"),
        (f"{HERE}:Missing", "has no class or agent 'Missing'"),
        (f"{HERE}:NOT_A_CLASS", "has no class or agent 'NOT_A_CLASS'"),
        (f"{HERE}:NoAct", "NoAct has no method act"),
        (f"{HERE}:NoName", "NoName has no attribute name, expected text"),
        (f"{HERE}:NoSeed", "NoSeed can't be made with seed=0: TypeError"),
        *((name, "agent") for name in ("", "x" * 300, "x" * 3000)),
    ],
)
def test_what_is_no_agent_gets_one_sentence(name, message):
    with pytest.raises(AgentError, match=message) as caught:
        load_agent(name)
    assert "\n" not in str(caught.value)


def test_a_version_is_that_of_a_class_and_of_none_above_it():
    class Changed(First):
        """Plays otherwise, perhaps."""

    assert [WrappedAgent("one", kind).version for kind in (First, Changed)] == ["1", ""]


def test_code_is_loaded_only_where_it_is_allowed():
    with pytest.raises(AgentError, match="names code, which only the command line may load"):
        registry.load_agent(f"{HERE}:First")
    with pytest.raises(AgentError, match="names code"):
        registry.load_agents(["greedy", f"{HERE}:First"])


def test_two_agents_of_one_name_are_told_apart_from_one_given_twice(tmp_path):
    copied = shutil.copytree(find("trinitario"), tmp_path / "trinitario")
    with pytest.raises(AgentError, match=f"'trinitario' and '{copied}' both have the name"):
        registry.load_agents(["greedy", "trinitario", str(copied)])
    with pytest.raises(AgentError, match="agent 'greedy' is given twice"):
        registry.load_agents(["greedy", "trinitario", "greedy"])


def test_a_search_that_would_value_nothing_is_refused(tmp_path):
    with pytest.raises(ValueError, match="inner is 1, expected 0 or at least 2"):
        load_agent("trinitario+search:sims=8,inner=1")
    with pytest.raises(AgentError, match="only value networks search"):
        load_agent(f"{checkpoint(tmp_path)}+search:sims=8")


def test_a_class_is_shown_a_deal_of_its_own_and_a_copy():
    """Two games that differ only in what seat 0 can't see look the same to it; the truth is hidden."""
    game = Game.new(2, 4)
    other = game.determinise(0, 99)
    assert other.draws != game.draws
    agent = load_agent(f"{HERE}:Peeker")
    Peeker.seen.clear()
    agent.act([game], [agent.begin(5)])
    agent.act([other], [agent.begin(5)])
    agent.act([game], [agent.begin(6)])
    shown, shown_other, shown_again = Peeker.seen
    assert shown == shown_other
    assert shown[2] != game.draws
    assert shown[2] != shown_again[2]
    meddler = load_agent(f"{HERE}:Meddler")
    before = game.clone()
    meddler.act([game], [meddler.begin(0)])
    assert game == before


@pytest.mark.parametrize(("size", "seen"), [(None, 15), (15, None), (12, 20), (15, 15)])
@pytest.mark.parametrize("players", [2, 4])
def test_a_window_of_another_size_shows_and_names_the_same_moves(size, seen, players):
    """What a view offers is legal in the game, means the same move there, and is all that fits."""
    hidden = outgrown = 0
    for seed in range(25):
        style = ("random", "stretch")[seed % 2]
        game = played(players, seed, 31 * seed % (20 * players), style, table_size=size)
        if game.over:
            continue
        wanted = seen or Game.new(players, 0).table_size
        view = View(game, wanted)
        assert view.seen.table_size == wanted
        moves = set(game.legal_moves())
        shown, ids = view.legal()
        offered = dict(zip(map(view.seen.move, shown.tolist()), ids.tolist()))
        assert set(offered) <= moves
        for move, action in offered.items():
            assert game.move(action) == move
        if wanted >= game.table_size:
            assert set(offered) == moves
        assert game.phase == "place" or len(offered) == len(moves)
        if game.phase == "place" and not view._fits:
            outgrown += 1
            cells = [int(indexed_cell(game.state, int(a) // 13)) for a in game.legal_actions()]
            in_window = [max(place_in(view, cell)) < wanted for cell in cells]
            assert sum(in_window) == len(offered)
        hidden += len(moves) - len(offered)
        assert len(view.seen.observation(game.seat)) == observation_size(players, wanted)
    assert hidden == 0 or wanted < game.table_size
    assert outgrown > 0 or wanted >= game.table_size


def place_in(view, cell):
    """Row and column of a cell in the view's window."""
    state = view.seen.state
    corner = int(state.corner_row), int(state.corner_column)
    return tuple((at - first) % TORUS for at, first in zip(divmod(cell, TORUS), corner))


def test_an_outgrown_window_is_a_part_of_the_table_with_the_tile_just_placed():
    size, places, last_tile = 11, set(), 14  # its plane
    for seed in range(20):
        game = Game.new(4, seed, decisions="explicit")
        for _ in positions(game, np.random.default_rng(seed), STYLES["random"]):
            view, state = View(game, size), game.state
            ends = state.row_min, state.row_max, state.column_min, state.column_max
            assert view._fits == window_fits(*map(int, ends), size)
            if game.over or view._fits:
                continue
            board, whole = (
                planes(one.observation(game.seat), 4, one.table_size)["board"]
                for one in (view.seen, game)
            )
            if game.phase == "place":
                whole[last_tile] = 0  # it is long ago
            else:
                places.add(place_in(view, int(state.last)))
            corner = int(state.corner_row) % TORUS, int(state.corner_column) % TORUS
            row, column = place_in(view, TORUS * corner[0] + corner[1])
            for kind in ("jungle", "worker", "open"):
                seen = view.seen.state
                for cell in seen[f"{kind}_cells"][: int(seen[f"{kind}_count"])].tolist():
                    assert max(place_in(view, cell)) < size
            there = np.roll(np.pad(whole, ((0, 0), (0, 2), (0, 2))), (row, column), (1, 2))
            np.testing.assert_array_equal(board, there[:, :size, :size])
    rows, columns = ({place[axis] for place in places} for axis in (0, 1))
    assert (min(rows), max(rows)) == (2, size - 3)
    # The corner's row and column are both even or both odd, for which its column moves by one.
    assert (min(columns), max(columns)) == (2, size - 2)


@pytest.mark.parametrize("size", [11, 15])
def test_a_view_is_what_a_game_of_that_size_would_show(size):
    """The same actions on a table of that size and on a larger one: same observation, same mask."""
    withheld = 0
    for seed in range(10):
        small, large = Game.new(2, seed, table_size=size), Game.new(2, seed)
        rng = np.random.default_rng(seed)
        while not small.over:
            view = View(large, size)
            seen, expected = (one.observation(small.seat) for one in (view.seen, small))
            np.testing.assert_array_equal(seen, expected)
            shown, ids = view.legal()
            assert sorted(shown) == small.legal_actions().tolist()
            withheld += len(large.legal_actions()) - len(small.legal_actions())
            action = STYLES[("random", "stretch")[seed % 2]](small, rng)
            large.play(ids[shown == action][0])
            small.play(action)
        assert small.scores() == large.scores()
    assert withheld > 0 or size > 11


def test_an_evaluation_shows_no_agent_the_true_deal():
    from cacao_env.evaluation.blocks import Chunk, Pairing
    from cacao_env.evaluation.matches import play_chunk, warm_up

    spy, ended = Spy(), []
    chunk = Chunk(Pairing(Options(2), "spy", "greedy"), range(3))
    agents = {"spy": spy, "greedy": load_agent("greedy")}
    warm_up(chunk.pairing, agents, 7)
    assert len(spy.games) == 1, "before the clock runs"
    play_chunk(chunk, agents, 7, ended.append)
    assert sum(ended) == 6, "games of the progress bar"
    true = [Game.deal(Options(2), 7 + block).draws for block in range(3)]
    shown = [game.draws for game in spy.games if game.turn == 0]
    assert len(shown) >= 3
    assert not any(draws in true for draws in shown)


def test_without_a_shown_placement_a_network_plays_some_legal_action(tmp_path, monkeypatch):
    agent = load_policy(checkpoint(tmp_path))
    game = Game.new(2, 0)
    none = np.zeros(0, np.int64)
    monkeypatch.setattr(View, "legal", lambda view: (none, none))
    actions = [agent.act([game], [agent.begin(seed)])[0] for seed in range(30)]
    assert set(actions) <= set(game.legal_actions().tolist())
    assert len(set(actions)) > 10


def test_every_seat_of_every_game_has_random_numbers_of_its_own():
    first = {"seed": 1, "block": 0, "options": Options(), "seats": ("a", "b"), "seat": 0}
    others = {
        "seed": 2,
        "block": 1,
        "options": Options(volcanoes=True),
        "seats": ("b", "a"),
        "seat": 1,
    }
    every = [first, *(first | {key: value} for key, value in others.items())]
    assert len({seat_seed(**about) for about in every}) == 6


def test_a_player_s_agent_does_not_see_the_true_deal():
    spy = Spy()
    game = Game.new(2, seed=7)
    with pytest.raises(ValueError, match="players has 1, expected one for each of 2 seats"):
        play_game(game, [spy.player(1)])
    play_game(game, [spy.player(1), spy.player(2)])
    early = [seen.draws for seen in spy.games[:20]]
    assert len({str(draws) for draws in early}) == 20
    assert game.draws not in early
    spy.player(1).analyze(Game.new(2, seed=7))  # by default it asks for a choice
    assert spy.games[-1].draws != game.draws


def test_hidden_tiles_are_dealt_again_with_other_random_numbers_than_the_agent_s():
    """Which deal a player is shown takes nothing from the numbers that it chooses with."""

    class Drawing(Agent):
        name = "drawing"

        def act(self, games, memory):
            return [random_action(seen.states, own) for seen, own in zip(games, memory)]

    game, rng, player = Game.new(2, seed=7), new_rng(5), Drawing().player(5)
    while game.seat is not None:
        expected = int(random_action(game.states, rng))
        assert player.act(game) == expected
        game.play(expected)


def test_an_agent_that_deals_again_does_not_get_the_deal_that_it_is_shown():
    same = []

    class Dealing(Agent):
        name = "dealing"

        def act(self, games, memory):
            for seen, own in zip(games, memory):
                same.append(seen.determinise(seen.seat, own).draws == seen.draws)
            return [int(seen.legal_actions()[0]) for seen in games]

    for seed in range(5):
        Dealing().player(seed).act(Game.new(2, 7))
    assert same == [False] * 5


def test_a_folder_of_the_current_one_replaces_no_shipped_agent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder, _ = value_checkpoint(tmp_path / "trinitario")
    own = load_agent(str(folder)).version
    shutil.copytree(folder, tmp_path / "mine")
    assert load_agent("trinitario").version != own
    for name in ("./trinitario", "../" + tmp_path.name + "/trinitario", "mine/", str(folder)):
        assert load_agent(name).version == own
    with pytest.raises(AgentError, match=r"there is no agent 'mine'; .* is named as \./mine"):
        load_agent("mine")
    with pytest.raises(AgentError, match=r"there is no agent 'mine\+search:sims=8'; .* \./mine"):
        load_agent("mine+search:sims=8")
