"""The value network: compiled code against torch, whole turns, search."""

import itertools
from functools import partial

import numpy as np
import pytest
import torch

from cacao_env import Game
from cacao_env.agents.endgame import NOT_SOLVED, placements_left
from cacao_env.agents.utility import utility_of
from cacao_env.agents.value import features, net, patterns, search, turns
from cacao_env.agents.value.agent import ValueAgent
from cacao_env.agents.value.search import (
    CANDIDATES,
    NEAR,
    TURNS,
    SearchAgent,
    look_ahead,
    time_bank,
)
from cacao_env.engine.rng import new_rng
from cacao_env.engine.state import ACT, FILL
from cacao_env.engine.tiles import MAX_TURNS
from tests.games import STYLES, continuations, played, positions
from tests.test_features import looked_at
from training.values.net import FirstLayer, ValueNet


def some_net(seed: int = 0, **size: int) -> ValueNet:
    torch.manual_seed(seed)
    found = ValueNet(**size)
    with torch.no_grad():
        for parameter in found.parameters():  # biases too, so that each of them counts
            parameter.add_(0.05 * torch.randn_like(parameter))
    return found


# --- The network ----------------------------------------------------------------------------


def some_samples() -> list[tuple]:
    """(numbers, rows, count, patterns, open cells, stage) of positions of all kinds."""
    rng = np.random.default_rng(0)
    found = []
    for players in (2, 3, 4):
        game = Game.new(players, 1, volcanoes=players != 3)
        for number, _ in enumerate(positions(game, rng, STYLES["overbuild"])):
            if number % 4 or game.over:
                continue
            viewer = number % players
            numbers, rows, tiles, cells = looked_at(game, viewer)
            left = int(game.state.tiles_each) - int(game.state.placed[viewer])
            stage = features.STAGES[left]
            found.append((numbers, rows, int((rows != features.NO_ROW).sum()), tiles, cells, stage))
    assert len({row[5] for row in found}) == features.NUM_STAGES
    assert any(row[3] > row[4] for row in found)
    return found


def columns(samples: list[tuple]) -> list[torch.Tensor]:
    return [torch.from_numpy(np.array(column)) for column in zip(*samples)]


def outputs(compiled: net.Net, samples: list[tuple]) -> np.ndarray:
    """What compiled code makes of samples."""
    scratch, found = net.new_scratch(compiled), []
    for numbers, rows, *counts in samples:
        scratch.numbers[:], scratch.rows[:] = numbers, rows
        net.forward(compiled, scratch, *counts)
        found.append(scratch.out.copy())
    return np.array(found)


@pytest.mark.parametrize("size", [{}, {"sums": 6, "maxima": 3, "units": 5}])  # and no fours
def test_compiled_code_computes_what_torch_does(size):
    model, samples = some_net(**size), some_samples()
    with torch.no_grad():
        found = model(*columns(samples)).numpy()
    assert np.abs(found - outputs(model.compiled(), samples)).max() < 1e-4
    assert np.abs(found).max() > 0.1


def test_the_first_layer_and_its_gradients_are_those_of_plain_matrices():
    model = some_net(sums=6, maxima=4, units=5)
    _, rows, counts, tiles, cells, _ = columns(some_samples())
    weights = [x.detach().clone().requires_grad_() for x in (model.rows, model.part_rows)]
    weights.append(model.part_best.detach().clone().requires_grad_())
    numbers, times = map(torch.from_numpy, patterns.parts_and_counts())
    parts = torch.zeros(patterns.NUM_PATTERNS, patterns.NUM_PARTS)
    parts.scatter_add_(1, numbers.T, times.T)
    total, context, most = [], [], []
    for row, count, tile, cell in zip(rows.long(), counts, tiles, cells, strict=True):
        table, number = row[:tile] // patterns.NUM_PATTERNS, row[:tile] % patterns.NUM_PATTERNS
        of_patterns = (parts[number][:, :, None] * weights[1][table]).sum((0, 1))
        total.append(of_patterns)
        context.append(weights[0][row[tile:count] - features.ALONE].sum(0))
        most.append(torch.relu((parts[row[:cell]] @ weights[2]).amax(0)))
    mine = [x.detach().clone().requires_grad_() for x in weights]
    found = FirstLayer.apply(*mine, rows, counts, tiles, cells)
    torch.manual_seed(0)
    expected = [torch.stack(rows) for rows in (total, context, most)]
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, atol=1e-5)
        slope = torch.randn_like(one)
        ((one * slope).sum() + (other * slope).sum()).backward(retain_graph=True)
    for one, other in zip(mine, weights, strict=True):
        assert one.grad.abs().max() > 0.1
        assert torch.allclose(one.grad, other.grad, rtol=1e-4, atol=2e-3)


def test_a_finished_game_is_worth_what_it_brought():
    compiled = some_net().compiled()
    scratch = net.new_scratch(compiled)
    for seed in range(20):
        game = played(2 + seed % 3, seed)
        net.expect(compiled, scratch, game.state, 0)
        players = game.num_players
        assert scratch.scores[:players].tolist() == game.scores()
        winners = game.winners()
        win_shares = [(seat in winners) / len(winners) for seat in range(players)]
        assert scratch.win_shares[:players].tolist() == pytest.approx(win_shares)
        for field in ("gold", "temples", "sun", "water", "cacao"):
            getattr(game.state, field)[:players] = 3
        net.expect(compiled, scratch, game.state, 0)  # a tie
        assert scratch.win_shares[:players].tolist() == pytest.approx([1 / players] * players)


# --- Whole turns ----------------------------------------------------------------------------


def best_end(model, game: Game, action: int, seat: int) -> float:
    """The best utility that a turn can end with, all continuations by ``seat`` played through."""
    compiled = model.compiled()
    scratch = net.new_scratch(compiled)
    best, start = -2.0, game.clone()
    start.play(action)
    for end in continuations(start, lambda p: p.turn != game.turn or p.seat != seat):
        if not end.over and end.turn == game.turn:
            return np.nan  # others act in between: by greedy, which may draw lots
        net.expect(compiled, scratch, end.state, seat)
        best = max(best, utility_of(scratch.win_shares, scratch.scores, game.num_players, seat))
    return best


def test_an_action_is_worth_the_best_end_of_its_turn():
    model = some_net()
    compiled = model.compiled()
    scratch, work, rng = net.new_scratch(compiled), turns.new_work(), new_rng(0)
    dice = np.random.default_rng(0)
    compared = 0
    for seed in range(6):
        game = Game.new(2 + seed % 3, seed, volcanoes=seed % 2 == 0)
        for _ in positions(game, dice):
            if game.over or dice.random() > 0.2:
                continue
            for action in dice.choice(game.legal_actions(), 2):
                exact = best_end(model, game, int(action), game.seat)
                args = (compiled, scratch, work, game.state, int(action), game.seat)
                found = turns.value_after(*args, ACT, rng)
                quick = turns.value_after(*args, FILL, rng)
                if not np.isnan(exact):
                    assert found == pytest.approx(exact, abs=1e-5)
                    assert quick <= exact + 1e-5
                    compared += 1
    assert compared > 60


# --- Search ---------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4])
def test_simulations_draw_every_tile_of_the_pile_in_turn(players):
    game, dice = Game.new(players, 5), np.random.default_rng(2)
    for _ in positions(game, dice):
        pile = game.state.jungle_draws[game.state.jungle_drawn : game.state.num_jungle].tolist()
        first, later = [], set()
        for number in range(2 * len(pile)):
            here = game.clone()
            here.redeal(game.seat, new_rng(number))
            search.stratify(here.state, game.state, number)
            drawn = here.state.jungle_draws[game.state.jungle_drawn : game.state.num_jungle]
            assert sorted(drawn) == sorted(pile)
            first.append(int(drawn[0]))
            later.add(tuple(drawn[1:]))
        assert first == 2 * pile
        assert len(later) > 1 or len(set(pile)) <= 2
        if not pile:
            here = game.clone()
            search.stratify(here.state, game.state, 3)
            assert here.states.tobytes() == game.states.tobytes()


def simulated(monkeypatch, game, **options):
    """(candidates, own turns ahead) of each call of ``look_ahead`` for one decision; the choice."""
    calls = []

    def seen(*given):
        calls.append((given[5], given[9]))
        look_ahead(*given)

    agent = SearchAgent(some_net(sums=16, maxima=8, units=8).compiled(), inner=2, **options)
    agent._pace = 1e-9  # there is time for all candidates
    monkeypatch.setattr(search, "look_ahead", seen)
    found = calls, agent.player(1).act(game)
    monkeypatch.setattr(search, "look_ahead", look_ahead)
    return found


def test_a_search_with_more_time_reaches_as_far(monkeypatch):
    game = Game.new(2, 3)
    for options in ({"sims": 16}, {"sims": 1000}, {"ms": 50}, {"ms": 500}):
        calls, _ = simulated(monkeypatch, game, **options)
        assert calls[0] == (CANDIDATES, TURNS)
    assert simulated(monkeypatch, game, sims=16, width=3, turns=2)[0][0] == (3, 2)
    near = lambda game: game.phase == "place" and placements_left(game.state) == NEAR  # noqa: E731
    game = played(2, 3, until=near)
    assert simulated(monkeypatch, game, sims=16)[0][0] == (CANDIDATES, MAX_TURNS)
    assert simulated(monkeypatch, game, sims=16, near=5)[0][0] == (CANDIDATES, TURNS)


def lengths_of(players, placements):
    """What a simulation plays, by the placements left."""
    near = NEAR + search.EARLIER[players]
    return tuple(n if n <= near else min(n, TURNS * players) for n in range(placements + 1))


def test_a_placement_gets_time_where_simulations_pay(monkeypatch):
    for players, placements in ((2, 22), (3, 30), (4, 36)):
        assert placements_left(Game.new(players).state) == placements
        bank = time_bank(players, lengths_of(players, placements), 0.016, 2e-4, 5e-5)
        assert sum(bank[1:]) == pytest.approx(0.016 * placements)
        near, later = NEAR + search.EARLIER[players], 16 + search.EARLIER[players]
        assert max(bank) == bank[near] == bank[4] < search.MOST * 0.016
        assert bank[placements] == bank[later + 1] < 0.5 * bank[later] == 0.5 * bank[near + 1]
        assert bank[later] < 0.5 * bank[near]
        assert bank[3] == bank[1] < 0.3 * bank[4]
        # With little time the early placements get none.
        bank = time_bank(players, lengths_of(players, placements), 0.001, 2e-4, 5e-5)
        assert 0.8 * placements < sum(bank[1:]) / 0.001 <= placements + 1e-9
        assert bank[placements] == 2e-4
        assert 0.002 < max(bank) <= search.MOST * 0.001 + 1e-12
        searched = [left for left in range(4, placements + 1) if bank[left] > 2e-4]
        assert {4, 5, 6, 7, 8} <= set(searched) <= {*range(4, 9), *range(near + 1, later + 1)}
        lengths = lengths_of(players, placements)
        assert all(bank[left] >= 2e-4 + search.LEAST * lengths[left] * 5e-5 for left in searched)
    given = halved(monkeypatch)
    game, dice = Game.new(2, 3), np.random.default_rng(0)
    agent = SearchAgent(some_net(sums=16, maxima=8, units=8).compiled(), ms=1000)
    bank = time_bank(2, lengths_of(2, 22), 1.0, 0.0, 0.0)
    for _ in positions(game, dice):
        if game.phase == "place" and placements_left(game.state) > 6:
            agent._pace = 1e-9
            given.clear()
            agent.player(1).act(game)
            [(alive, ms)] = given
            assert alive == min(CANDIDATES, len(game.legal_actions()))
            assert ms == pytest.approx(1000 * bank[placements_left(game.state)], rel=1e-3)


def test_the_pace_follows_the_time_that_simulations_take(monkeypatch):
    given = halved(monkeypatch)
    clock = itertools.count()
    monkeypatch.setattr(search.time, "perf_counter", lambda: next(clock))  # a second each time
    agent = SearchAgent(some_net(sums=16, maxima=8, units=8).compiled(), sims=16)
    game = Game.new(2, 3)
    for before in (0.5, 0.1, 0.01):
        agent._pace = before
        agent.player(1).act(game)
        alive = given[-1][0]
        pace = 1 / (alive * agent._length(placements_left(game.state), 2))
        # A measurement counts as twice the pace at most: the code may have been compiled in it.
        assert agent._pace == pytest.approx(0.8 * before + 0.2 * min(pace, 2 * before))
    assert 0.02 < pace < 0.2
    # Without time for simulations, that of the decision itself bounds it.
    monkeypatch.setattr(search.time, "perf_counter", lambda: next(clock) / 1000)
    agent = SearchAgent(agent.net, ms=1)
    monkeypatch.setattr(agent, "_seconds", lambda states: 0.001)
    agent._pace = 0.1
    agent.player(1).act(game)
    placements = min(agent.net.top, len(game.legal_actions()))
    assert agent._pace == pytest.approx(2 * 0.002 * agent._inner / (search.ONE_PLY * placements))


def halved(monkeypatch):
    """(candidates, milliseconds) of each search from now on, in which no time passes."""
    given = []

    def seen(run, ids, sums, alive, sims, begin, ms):
        given.append((alive, ms))
        return np.ones(alive, np.int64)

    monkeypatch.setattr(search, "halve", seen)
    monkeypatch.setattr(search.time, "perf_counter", lambda: 0.0)
    return given


def test_the_solver_takes_no_longer_than_the_placement_has(monkeypatch):
    given = []

    def solve(states, exact, objective, nodes):
        given.append(nodes)
        return NOT_SOLVED

    monkeypatch.setattr(search, "solve", solve)
    agent = SearchAgent(some_net(sums=16, maxima=8, units=8).compiled(), ms=1000)
    agent._pace = 1e9  # nothing is simulated
    monkeypatch.setattr(agent, "_seconds", lambda states: 0.008)
    agent.player(1).act(Game.new(2, 3))
    agent._ms, agent.sims = 0, 20
    agent._pace, agent._width = 1e-9, 1
    agent.player(1).act(Game.new(2, 3))
    assert given == [8 * search.NODES_A_MS, 20 * search.NODES_A_SIM]


def test_a_search_simulates_as_many_as_there_is_time_for(monkeypatch):
    given = halved(monkeypatch)
    compiled = some_net(sums=16, maxima=8, units=8).compiled()
    agent = SearchAgent(compiled, ms=1000)
    game = Game.new(2, 3)
    monkeypatch.setattr(agent, "_seconds", lambda states: 1.0)
    a_simulation = 2 * TURNS  # placements
    for sims, candidates in ((6.1, 4), (8.1, 5), (14.1, CANDIDATES), (99, CANDIDATES)):
        given.clear()
        agent._pace = 1 / sims / a_simulation
        agent.player(1).act(game)
        assert [alive for alive, _ in given] == [candidates]
    agent._pace = 1e9
    given.clear()
    assert agent.player(1).act(game) == ValueAgent(compiled).player(1).act(game)
    assert not given
    agent._pace = 1e9
    analysis = agent.player(1).analyze(game)
    assert len(analysis.actions) > CANDIDATES
    assert analysis.visits is None
    agent._pace = 0.9 / 2 / a_simulation  # an analysis has the whole second, whatever is left
    given.clear()
    agent.player(1).analyze(game)
    assert given == [(2, 1000)]


def test_a_first_value_counts_as_some_simulations_or_as_one_where_they_reach_the_end(monkeypatch):
    monkeypatch.setattr(search, "look_ahead", lambda *about: None)  # simulations that bring nothing
    agent = SearchAgent(some_net(sums=16, maxima=8, units=8).compiled(), sims=16)
    for left, count in ((NEAR + 1, search.PRIOR), (NEAR, 1)):
        game = next(
            game
            for game in positions(Game.new(2, 3), np.random.default_rng(0))
            if game.phase == "place" and placements_left(game.state) == left
        )
        legal = game.legal_actions()
        firsts = np.linspace(1, 2, len(legal))
        monkeypatch.setattr(
            agent,
            "evaluate",
            partial(lambda ids, values, *_: (ids.copy(), values.copy()), legal, firsts),
        )
        analysis = agent.player(1).analyze(game)
        first = dict(zip(legal, firsts, strict=True))
        expected = [first[action] * count for action in analysis.actions] / (
            count + analysis.visits
        )
        np.testing.assert_allclose(analysis.values, expected)


def test_simulations_reach_the_end_earlier_with_more_players():
    for players, first in ((2, NEAR), (3, NEAR + 3), (4, NEAR + 6)):
        assert search.turns_ahead(first, players, TURNS, NEAR) == MAX_TURNS
        assert search.turns_ahead(first + 1, players, TURNS, NEAR) == TURNS
