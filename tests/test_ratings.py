"""Intervals and ratings find what simulated games were made with."""

import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the evaluate extra is not installed")

from cacao_env.evaluation import ratings
from cacao_env.evaluation.intervals import interval, resampled_means, share_interval
from cacao_env.evaluation.matches import PlayedGame
from cacao_env.evaluation.ratings import pair_wins, rate, strengths
from tests.tiers import slow


def played(scores, cacao=None, block=0):
    cacao = cacao or [0] * len(scores)
    return PlayedGame(block, 0, scores, cacao, [], [], [], [], [])


def plackett_luce(rng, seats, elo):
    """Scores of one game: seats in the order in which a Plackett-Luce model ranks them."""
    strength = [elo[name] * math.log(10) / 400 for name in seats]
    return (np.array(strength) + rng.gumbel(size=len(seats))).argsort().argsort().tolist()


def simulated(rng, elo, blocks, tables):
    """wins[block] of games at ``tables``, each a list of names by seat."""
    number = {name: i for i, name in enumerate(elo)}
    return np.array(
        [
            sum(pair_wins(played(plackett_luce(rng, t, elo)), t, number) for t in tables)
            for _ in range(blocks)
        ]
    )


def test_intervals_cover_the_truth_as_often_as_they_say():
    """95 % of 400, with four standard errors to either side and the small loss of few blocks."""
    rng = np.random.default_rng(0)
    hits = 0
    for trial in range(400):
        low, high = interval(rng.random(80), trial)
        hits += low <= 0.5 <= high
    assert 0.90 <= hits / 400 <= 0.99


def test_blocks_and_not_games_are_drawn():
    """Ten games that always come out alike are worth one."""
    values = np.random.default_rng(1).random((50, 1)).repeat(10, axis=1)
    low, high = interval(values.mean(axis=1))
    spread = resampled_means(values, 500).mean(axis=1).std()
    assert high - low == pytest.approx(4 * spread, rel=0.15)
    assert spread == pytest.approx(values.std() / math.sqrt(50), rel=0.15)


def test_all_won_is_not_taken_for_certain():
    low, high = share_interval(np.ones(100))
    assert high == 1
    assert low == pytest.approx(0.025 ** (1 / 100))
    assert all(share_interval(np.ones(blocks))[1] == 1 for blocks in range(1, 400))
    low, high = share_interval(np.zeros(20))
    assert low == 0
    assert 0.1 < high < 0.2
    low, high = share_interval(np.full(50, 0.5))  # others, all lost or all won, may be rare
    rest = 0.025 ** (1 / 50)
    assert [low, high] == pytest.approx([0.5 * rest, 1 - 0.5 * rest])
    mixed = np.array([1.0] * 99 + [0.5])
    assert share_interval(mixed) == interval(mixed)


def test_pairs_of_a_game_count_ties_half_and_copies_each():
    number = {"a": 0, "b": 1}
    wins = pair_wins(played([9, 4, 9, 2], [1, 0, 1, 0]), ["a", "b", "b", "b"], number)
    assert wins.tolist() == [[0, 2.5], [0.5, 0]]
    # Scores are level: stored cacao decides.
    wins = pair_wins(played([9, 9], [1, 3]), ["a", "b"], number)
    assert wins.tolist() == [[0, 0], [1, 0]]
    # Who forfeited is last, whatever the gold.
    lost = replace(played([9, 2]), notes=[{"forfeit": 3}, {}])
    assert pair_wins(lost, ["a", "b"], number).tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_known_strengths_are_found(players):
    """Each agent in one seat against copies of each other, as an evaluation plays."""
    elo = {"greedy": 0.0, "a": 250.0, "b": 60.0, "c": -300.0}
    tables = [[x] + [y] * (players - 1) for x in elo for y in elo if x != y]
    found = rate(list(elo), players, simulated(np.random.default_rng(players), elo, 150, tables))
    assert [row.agent for row in found] == ["a", "b", "greedy", "c"]
    for row in found:
        assert row.elo == pytest.approx(elo[row.agent], abs=35), row
        assert row.low <= row.elo <= row.high
    anchor = next(row for row in found if row.agent == "greedy")
    assert (anchor.elo, anchor.low, anchor.high) == (0, 0, 0)


@slow
def test_rating_intervals_are_as_wide_as_ratings_scatter(monkeypatch):
    monkeypatch.setattr(ratings, "SAMPLES", 150)
    elo = {"greedy": 0.0, "a": 100.0}
    rng = np.random.default_rng(5)
    rows = []
    for trial in range(80):
        wins = simulated(rng, elo, 60, [["a", "greedy"], ["greedy", "a"]])
        rows.append(next(r for r in rate(list(elo), 2, wins, trial) if r.agent == "a"))
    assert sum(row.low <= 100 <= row.high for row in rows) >= 71  # 76 less 2.5 standard errors
    width = np.mean([row.high - row.low for row in rows]) / (2 * 1.96)
    assert width == pytest.approx(np.std([row.elo for row in rows]), rel=0.25)


def test_nobody_is_infinitely_strong_but_the_bound_is_open():
    wins = np.zeros((40, 3, 3))
    wins[:, 1, 0] = wins[:, 0, 2] = wins[:, 1, 2] = 2
    rows = {row.agent: row for row in rate(["greedy", "strong", "weak"], 2, wins)}
    assert rows["strong"].high is None
    assert rows["weak"].low is None
    assert 300 < rows["strong"].low < rows["strong"].elo < 3000
    assert -3000 < rows["weak"].elo < rows["weak"].high < -300
    # A chain of wins that leads round is enough: weak has beaten strong, who has beaten greedy.
    wins[0, 2, 1] = 1
    rows = {row.agent: row for row in rate(["greedy", "strong", "weak"], 2, wins)}
    assert rows["strong"].high is not None
    assert rows["weak"].low is not None


def test_who_neither_beat_the_anchor_nor_lost_to_it_through_others_has_no_bound():
    wins = np.zeros((40, 3, 3))
    wins[:, 0, 2] = wins[:, 1, 2] = 1
    rows = {row.agent: row for row in rate(["greedy", "one", "weak"], 2, wins)}
    assert (rows["one"].low, rows["one"].high) == (None, None)
    assert (rows["weak"].low, rows["weak"].high is None) == (None, False)


def test_a_bound_is_that_of_four_lost_games_in_all():
    """However many opponents an agent met, and whatever they did elsewhere."""

    def odds(won, lost):
        return 400 * math.log10(won / lost)

    for others in (1, 4):
        wins = np.zeros((100, others + 1, others + 1))
        wins[:, 0, 1:] = 1
        wins[:, 1:, 1:] = 1 - np.eye(others)  # equals
        [*_, best] = sorted(rate(["one", *map(str, range(others))], 2, wins), key=lambda r: r.elo)
        rest = rate([*map(str, range(others)), "one"], 2, np.roll(wins, -1, (1, 2)))
        assert (best.agent, best.elo) == ("one", 0.0)
        [own] = [row for row in rest if row.agent == "one"]
        assert own.low == pytest.approx(odds(100 * others, 3.7), abs=5)
    wins = np.zeros((400, 3, 3))
    wins[:, 1, 2] = 1  # one beats all of two, which greedy beats but for two games; they never met
    wins[:398, 0, 2] = wins[398:, 2, 0] = 1
    [own] = [row for row in rate(["greedy", "one", "two"], 2, wins) if row.agent == "one"]
    assert own.low == pytest.approx(odds(400, 3.7) - odds(398.5, 2.5), abs=5)


def test_a_pair_that_few_blocks_have_is_rated_in_every_sample():
    """Samples without the blocks of a pair still have its prior; a pair that never met has no scale."""
    wins = np.zeros((40, 3, 3))
    wins[:, 0, 1] = wins[:, 1, 0] = 1
    wins[0] = 0
    wins[0, 1, 2] = 1
    rows = rate(["greedy", "one", "two"], 2, wins)
    assert [row.agent for row in rows][-1] == "two"
    assert all(np.isfinite(row.elo) for row in rows)
    with pytest.raises(ValueError, match="did not meet, not even through others"):
        rate(["greedy", "one", "two"], 2, wins[1:])


def test_strengths_are_the_most_likely_ones():
    """Each agent then wins as often as its strength says."""
    wins = np.array([[0, 30, 40.0], [12, 0, 25], [3, 9, 0]])
    counted, found = wins + 0.5 * (wins + wins.T > 0), strengths(wins, wins + wins.T > 0)
    chances = 1 / (1 + 10 ** ((found[None, :] - found[:, None]) / 400))
    total = (counted + counted.T) * chances
    np.testing.assert_allclose(total.sum(axis=1), counted.sum(axis=1), rtol=1e-6)
    assert found.mean() == pytest.approx(0)
