"""The luck of the draw: zero in expectation, shared out among the seats, smaller variance."""

from contextlib import closing
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.cli import main
from cacao_env.data import load
from cacao_env.data.folder import GameFolder
from cacao_env.engine.options import Options
from cacao_env.engine.tiles import MAX_PLAYERS
from cacao_env.evaluation import matches
from cacao_env.evaluation.blocks import Chunk, Pairing
from cacao_env.evaluation.luck import WIN_SHARES, _add_draw, _judge, luck_of
from cacao_env.evaluation.matches import play_chunk
from cacao_env.evaluation.rows import lucks_of, replayed_games, results_of, rows_of
from cacao_env.gold_sources import SOURCES, gold_by_source
from cacao_env.registry import load_agent
from tests.tiers import mostly_slow, slow

from .games import STYLES, played, positions


def pile(game):
    """Return the rest of the jungle pile, in order, as a view."""
    state = game.state
    return state.jungle_draws[state.jungle_drawn : state.num_jungle]


def late_draws(options, seeds):
    """Games and the actions that draw a jungle tile next; four are left, two of them equal."""
    for seed in seeds:
        game = Game.deal(options, seed)
        for action in played(options.num_players, seed, volcanoes=options.volcanoes).history:
            rest = pile(game)
            before = game.clone() if len(rest) == 4 and len(set(rest)) == 3 else None
            game.play(action)
            if before is not None and len(pile(game)) < 4:
                yield before, action


@pytest.mark.parametrize(("players", "volcanoes"), mostly_slow([(3, True), (2, False), (4, False)]))
def test_luck_of_all_orders_of_the_pile_adds_up_to_zero(players, volcanoes):
    """The mean over every order of the pile is exactly 0, seat by seat; single orders are not."""
    game, action = next(late_draws(Options(players, volcanoes), range(200)))
    rest = pile(game)
    each = []
    for order in sorted(set(permutations(rest.tolist()))):
        rest[:] = order
        after = game.clone()
        after.play(action)
        each.append(luck_of(after) - luck_of(game))
    assert np.abs(each).max() > 1e-3
    np.testing.assert_allclose(np.mean(each, axis=0), 0, atol=1e-6)


@slow  # it compiles a part of the judge for itself
def test_a_tile_is_judged_by_the_seat_that_plays_next():
    players = 3
    game, action = next(late_draws(Options(players), range(200)))
    after = game.clone()
    after.play(action)
    luck = np.zeros((2, MAX_PLAYERS))
    here = np.concatenate([game.states, game.states])
    for place in range(game.state.jungle_drawn, after.state.jungle_drawn):
        here[0] = game.states[0]
        _add_draw(*_judge(), here, action, after.state.active, place, luck)
    assert after.state.active != game.state.active
    np.testing.assert_allclose(luck_of(after) - luck_of(game), luck[:, :players], atol=1e-6)


def test_results_vary_less_without_luck():
    """Single games of the judge and its relative; luck with the wrong sign doubles the variance."""
    pairing = Pairing(Options(2), "trinitario", "trinitario+search:sims=8")
    agents = {name: load_agent(name) for name in ("trinitario", "trinitario+search:sims=8")}
    games = play_chunk(Chunk(pairing, range(16)), agents, seed=7, luck=True).games
    raw = [game.margin(game.rotation) for game in games]
    adjusted = [game.adjusted_margin(game.rotation) for game in games]
    assert np.var(adjusted) < 0.6 * np.var(raw)


@pytest.mark.parametrize(("seconds", "pays"), [(0.001, False), (1.0, True)])
def test_luck_pays_where_a_game_takes_longer(seconds, pays, monkeypatch):
    """A decision takes so long, and the luck of a game a tenth of a second, by this clock."""
    now = [0.0]

    def spend(time, answer):
        now[0] += time
        return answer

    slow = SimpleNamespace(
        begin=lambda seed: None, act=lambda games, memory: spend(seconds, [0] * len(games))
    )
    monkeypatch.setattr(matches, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(matches, "luck_of", lambda game: spend(0.1, None))
    pairing = Pairing(Options(3), "slow", "slower")
    assert matches.luck_pays(pairing, {"slow": slow, "slower": slow}, 1) is pays


def test_one_seat_s_luck_is_the_others_bad_luck():
    luck = luck_of(played(3, 5))
    assert luck[WIN_SHARES].sum() == pytest.approx(0, abs=1e-6)
    assert np.abs(luck).min() > 0


def test_luck_does_not_change_the_game():
    game = played(2, 5)
    before = game.clone()
    assert (luck_of(game) == luck_of(before)).all()
    assert game.states.tobytes() == before.states.tobytes()
    assert game.history == before.history


# --- Gold by source ---------------------------------------------------------------------------------

TRACK = (-10, -4, -1, 0, 2, 4, 7, 11, 16)  # gold of each field of the water track


def by_moves(game):
    """The same, from the game's moves played on a game that asks everything."""
    table = Game.from_draws(*game.draws, volcanoes=game.volcanoes, decisions="explicit")
    found = np.zeros((game.num_players, len(SOURCES)), int)
    laid = {(0, 0): "plantation1", (1, 1): "market2"}
    steps = ((-1, 0), (0, 1), (1, 0), (0, -1))
    kinds = {"market": "sales", "mine": "mines", "volcano": "volcanoes"}
    for seat, _, move in game.elementary_moves():
        before = [int(g) for g in table.state.gold]
        table.play(table.action(move))
        gained = int(table.state.gold[seat]) - before[seat]
        if move[0] == "fill":
            laid[move[3]] = move[1]
        elif move[0] == "act":
            (row, column), (down, right) = move[1], steps[move[2]]
            kind = laid[row + down, column + right].rstrip("1234")
            if kind in kinds:
                found[seat, SOURCES.index(kinds[kind])] += gained
            else:
                assert gained == 0
    return found


@pytest.mark.parametrize("volcanoes", [False, True])
def test_each_coin_goes_to_the_tile_that_paid_it(volcanoes):
    seen = np.zeros(len(SOURCES), int)
    for players in (2, 3, 4):
        for seed in range(3):
            game = played(players, seed, style="crowd", volcanoes=volcanoes, table_size=15)
            found = gold_by_source(game)
            np.testing.assert_array_equal(found[:, :3], by_moves(game)[:, :3])
            state = game.state
            for seat in range(players):
                ends = (TRACK[state.water[seat]], state.sun[seat], state.temples[seat])
                assert found[seat, 3:].tolist() == [int(gold) for gold in ends]
            seen += abs(found).sum(axis=0)
    assert seen[SOURCES.index("sales")] > 0
    assert seen[SOURCES.index("volcanoes" if volcanoes else "mines")] > 0


def test_a_game_that_went_on_with_other_options_has_the_gold_and_luck_of_its_moves():
    asked = {"volcanoes": True, "decisions": "explicit"}
    half = played(3, 3, style="crowd", until=lambda game: game.turn == 12, **asked)
    *_, game = positions(half.with_options("auto"), np.random.default_rng(3), STYLES["crowd"])
    every = game.with_options("explicit")
    assert gold_by_source(game).sum(axis=1).tolist() == game.scores()
    np.testing.assert_array_equal(luck_of(game), luck_of(every))
    assert [action for _, action in game.plies()] == list(every.history)


def test_pairings_with_and_without_luck_share_a_folder(tmp_path):
    names = ("random", "greedy", "mc:sims=2")
    agents, versions = {name: load_agent(name) for name in names}, dict.fromkeys(names, "1")
    settings = {"options": [Options(2).as_dict()], "agents": versions}
    with closing(GameFolder(tmp_path / "both", settings)) as folder:
        for other in names[1:]:
            chunk = Chunk(Pairing(Options(2), "random", other), [0])
            folder.add(rows_of(play_chunk(chunk, agents, 5, luck=other == "greedy"), 5, versions))
        folder.finish()
    [games] = replayed_games(tmp_path / "both")
    found = {one.pairing.opponent: one.games for one in results_of(games, 5)}
    assert all(game.luck is not None for game in found["greedy"])
    assert all(game.luck is None for game in found["mc:sims=2"])
    assert {(pairing.opponent, own) for pairing, own in lucks_of(games).items()} == {
        ("greedy", True),
        ("mc:sims=2", False),
    }


def test_no_interval_mixes_games_with_and_without_luck(tmp_path, capsys):
    command = ["evaluate", "random", "greedy", "--workers", "1", "--out", str(tmp_path / "games")]
    assert main([*command, "--deals", "2", "--luck"]) == 0
    assert "less luck: wins" in capsys.readouterr().out
    assert main([*command, "--deals", "4"]) == 0  # as those that are there
    assert load(tmp_path / "games").table.column("luck").null_count == 0
    assert main([*command, "--deals", "6", "--no-luck"]) == 1
    assert "have luck, expected the same for all: leave out --no-luck" in capsys.readouterr().err
    command[-1] = str(tmp_path / "others")
    assert main([*command, "--deals", "2"]) == 0  # fast agents: more games say more
    assert "less luck: wins" not in capsys.readouterr().out
    assert "luck" not in load(tmp_path / "others").table.schema.names
