"""The figures of an evaluation, computed again by hand from games that are made up."""

from dataclasses import replace
from statistics import mean

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")

from cacao_env.agent import FORFEIT
from cacao_env.engine.options import Options
from cacao_env.evaluation import figures
from cacao_env.evaluation.blocks import Pairing, chunks, pairings
from cacao_env.evaluation.intervals import interval, percent
from cacao_env.evaluation.matches import ChunkResult, PlayedGame
from cacao_env.evaluation.summary import summarise
from cacao_env.gold_sources import SOURCES

NAMES = ("x", "y")
BLOCKS = 6


def made_up(players):
    """Return all games between two agents, with random scores, gold and luck for every seat."""
    rng = np.random.default_rng(players)
    found = []
    for chunk in chunks(pairings(NAMES, [Options(players)]), BLOCKS):
        games = []
        for block, rotation in chunk.games():
            gold = rng.integers(-3, 30, (players, len(SOURCES)))
            scores = gold.sum(axis=1).tolist()
            won = [float(s == max(scores)) / scores.count(max(scores)) for s in scores]
            luck = rng.normal(0, 0.2, (2, players)).tolist()
            decisions = rng.integers(5, 9, players).tolist()
            numbers = [NAMES.index(name) for name in chunk.pairing.seats(rotation)]
            placements, seconds = [2 + n for n in numbers], [0.01 * (1 + n) for n in numbers]
            result = scores, [0] * players, won, gold.tolist(), decisions, placements, []
            spent = luck, seconds, [0.008] * players
            games.append(PlayedGame(block, rotation, *result, *spent))
        found.append(ChunkResult(chunk.pairing, games))
    return found


def seats_of(agent, results):
    """(game, seat) of every game in which the agent is measured, by hand."""
    for result in results:
        for game in result.games:
            if result.pairing.agent == agent:
                yield game, game.rotation
            elif result.pairing.players == 2:  # the only other seat is measured too
                yield game, 1 - game.rotation


def margin(game, seat):
    others = [score for other, score in enumerate(game.scores) if other != seat]
    return game.scores[seat] - max(others)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_figure_of_both_agents(players):
    results = made_up(players)
    summary = summarise(NAMES, results)
    assert [(r.agent, r.opponent) for r in summary.results] == [("x", "y"), ("y", "x")]
    for number, row in enumerate(summary.results):
        taken = list(seats_of(row.agent, results))
        assert len(taken) == BLOCKS * players
        assert (row.players, row.blocks) == (players, BLOCKS)
        assert row.score == pytest.approx(mean(game.scores[seat] for game, seat in taken))
        assert row.win_share == pytest.approx(mean(game.win_shares[seat] for game, seat in taken))
        margins = [margin(game, seat) for game, seat in taken]
        assert row.margin == pytest.approx(mean(margins))
        assert row.adjusted_win_share == pytest.approx(
            mean(game.win_shares[seat] - game.luck[0][seat] for game, seat in taken)
        )
        others = [(sum(g.luck[1]) - g.luck[1][s]) / (players - 1) for g, s in taken]
        lucky = [g.luck[1][s] - other for (g, s), other in zip(taken, others)]
        assert row.adjusted_margin == pytest.approx(mean(margins) - mean(lucky))
        deals = np.zeros((2, BLOCKS))
        for (game, _), gold, luck in zip(taken, margins, lucky):
            deals[:, game.block] += gold, gold - luck
        plain, adjusted = deals.var(axis=1)
        assert row.fewer_deals == pytest.approx(plain / adjusted)
        for seat, of_seat in enumerate(row.by_seat):
            on_it = [game for game, own in taken if own == seat]
            assert of_seat["win_share"] == pytest.approx(mean(g.win_shares[seat] for g in on_it))
            assert of_seat["margin"] == pytest.approx(mean(margin(game, seat) for game in on_it))
        assert len(row.by_seat) == players
        own = [
            (game, seat)
            for result in results
            if row.agent == result.pairing.agent or players == 2
            for game in result.games
            for seat, name in enumerate(result.pairing.seats(game.rotation))
            if name == row.agent
        ]
        moves = mean(game.decisions[seat] for game, seat in own)
        assert row.ms_per_move == pytest.approx(1000 * 0.01 * (1 + number) / moves)
        assert row.ms_per_placement == pytest.approx(1000 * 0.008 / (2 + number))
        decisions = mean(sum(game.decisions) for game, _ in taken)
        assert row.decisions_per_game == pytest.approx(decisions)
        for low, value, high in (
            (row.low, row.win_share, row.high),
            (row.margin_low, row.margin, row.margin_high),
            (row.adjusted_low, row.adjusted_win_share, row.adjusted_high),
            (row.adjusted_margin_low, row.adjusted_margin, row.adjusted_margin_high),
        ):
            assert low < value < high
        of_deals = interval(deals[0] / players)
        assert (row.margin_low, row.margin_high) == pytest.approx(of_deals)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_scores_quantiles_counts_and_gold_of_both_agents(players):
    results = made_up(players)
    rows = summarise(NAMES, results).scores
    assert [row.agent for row in rows] == list(NAMES)
    for row in rows:
        taken = list(seats_of(row.agent, results))
        scores = sorted(game.scores[seat] for game, seat in taken)
        assert (row.players, row.games) == (players, len(scores))
        assert row.score == pytest.approx(mean(scores))
        assert row.deviation**2 == pytest.approx(mean((s - mean(scores)) ** 2 for s in scores))
        for share, quantile in zip((0.05, 0.25, 0.5, 0.75, 0.95), row.quantiles, strict=True):
            at = share * (len(scores) - 1)  # between two of the scores in order
            below, above = scores[int(at)], scores[min(int(at) + 1, len(scores) - 1)]
            assert quantile == pytest.approx(below + (at - int(at)) * (above - below))
        assert row.counts == {str(score): scores.count(score) for score in set(scores)}
        for number, source in enumerate(SOURCES):
            assert row.gold[source] == pytest.approx(mean(g.gold[s][number] for g, s in taken))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seats_are_those_of_all_games(players):
    results = made_up(players)
    every = [game for result in results for game in result.games]
    rows = summarise(NAMES, results).seats
    assert [row.seat for row in rows] == list(range(players))
    for row in rows:
        assert row.win_share == pytest.approx(mean(g.win_shares[row.seat] for g in every))
        assert row.margin == pytest.approx(mean(margin(game, row.seat) for game in every))
        assert row.low < row.win_share < row.high
        assert row.margin_low < row.margin < row.margin_high


def test_games_of_other_numbers_of_players_change_nothing():
    alone = [summarise(NAMES, made_up(players)) for players in (2, 3, 4)]
    whole = summarise(NAMES, [result for players in (4, 2, 3) for result in made_up(players)])
    for rows in ("results", "ratings", "seats", "scores"):
        assert getattr(whole, rows) == [row for one in alone for row in getattr(one, rows)], rows


def test_with_2_players_and_no_task_games_measure_both_agents():
    two, three = Options(2), Options(3)
    found = [Pairing(*one).candidates() for one in ((two, "x", "y"), (two, "x", "y", "task"))]
    assert [*found, Pairing(three, "x", "y").candidates()] == [("x", "y"), ("x",), ("x",)]


def test_a_task_s_deals_are_played_once_and_only_its_agent_is_measured():
    pairing = Pairing(Options(3), "x", "y", "some-task")
    result = [5, 7, 9], [0] * 3, [0, 0, 1], [], [4, 0, 9], [2, 0, 3], []
    seconds = {"seconds": [0.1] * 3, "placement_seconds": [0.1] * 3}
    games = [PlayedGame(block, seat, *result, **seconds) for block, seat in ((0, 2), (1, 0))]
    summary = summarise(["x"], [ChunkResult(pairing, games)])
    (row,) = summary.results
    assert (row.win_share, row.margin, row.blocks) == (0.5, (2 - 4) / 2, 2)
    assert (row.adjusted_win_share, row.adjusted_margin, row.by_seat) == (0.5, -1.0, [])
    assert (summary.ratings, summary.seats, summary.scores) == ([], [], [])


def test_luck_does_not_decide_a_forfeited_game():
    lucky = [[0.25, -0.25], [3.0, -3.0]]
    game = PlayedGame(0, 0, [9, 5], [0, 0], [1.0, 0.0], [], [], [], [], lucky)
    assert (game.adjusted_win_share(0), game.adjusted_margin(0)) == (0.75, 4 - 3 - 3)
    lost = replace(game, notes=[{FORFEIT: 4}, {}])
    assert (lost.adjusted_win_share(0), lost.adjusted_margin(0)) == (0.0, -5.0)
    left = replace(game, scores=[9, 5, 7], notes=[{FORFEIT: 4}, {}, {}])
    assert [left.win_share(seat) for seat in range(3)] == [0, 0.5, 0.5]
    both = replace(left, notes=[{FORFEIT: 9}, {}, {FORFEIT: 4}])
    assert [both.win_share(seat) for seat in range(3)] == [0.5, 0.5, 0], "the first to forfeit"


def test_tables_have_the_figures_of_their_players_row_and_column():
    summary = summarise(NAMES, [result for players in (3, 2) for result in made_up(players)])
    data = {
        key: [vars(row) for row in getattr(summary, key)]
        for key in ("results", "ratings", "seats", "scores")
    }
    every = figures.by_players(data)
    assert [own["players"] for own in every] == [2, 3]
    for own in every:
        players = own["players"]
        results = [row for row in summary.results if row.players == players]
        cross = figures.cross_table(own)
        shares = {(r.agent, r.opponent): f"{r.win_share:.1%}" for r in results}
        for name, *cells in cross.rows:
            for other, cell in zip(cross.head[1:], cells, strict=True):
                assert cell.startswith(shares.get((name, other), "·"))
        quantiles = {row[0]: row[1:] for row in figures.quantiles(own).rows}
        for row in summary.scores:
            if row.players == players:
                assert quantiles[row.agent] == [f"{q:.0f}" for q in row.quantiles]
        assert len(figures.seats(own).rows) == players
        pairs = figures.pairings(own).rows
        assert len(pairs) == len(results)
        for agent, opponent, wins, lead, *_, score, _, _, deals in pairs:
            one = next(r for r in results if (r.agent, r.opponent) == (agent, opponent))
            assert wins.startswith(f"{one.win_share:.1%} [")
            assert lead.startswith(f"{one.margin:+.1f} [")
            assert (score, deals) == (f"{one.score:.1f}", BLOCKS)
        for agent, *_, time, speed in figures.ratings(own).rows:
            each = mean(one.ms_per_move for one in results if one.agent == agent)
            assert (time, speed) == (figures.milliseconds(each), f"{1000 / each:,.0f}")


def test_a_share_less_luck_that_no_games_have_is_marked():
    assert percent(0.9, 0.8, 1.01) == "90.0% [80.0%, 101.0%] (unbounded)"
    assert percent(0.9, 0.8, 1.0) == "90.0% [80.0%, 100.0%]"
    assert percent(0.9, -0.001, 1.0).endswith("(unbounded)")


def test_a_share_of_nothing_has_no_minus():
    assert percent(-0.0002, -0.0003, 0.0001) == "0.0% [0.0%, 0.0%] (unbounded)"
