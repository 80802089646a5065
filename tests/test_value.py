"""The value network: patterns, features, compiled code against torch, whole turns, search."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cacao_env import Game
from cacao_env.actions import MAX_LEGAL
from cacao_env.bots import play_game
from cacao_env.geometry import NEIGHBOR
from cacao_env.rng import new_rng, next_bits
from cacao_env.state import ACT, FILL, OWNER, WORKERS, jungle_left
from cacao_env.tiles import MAX_WORKERS_ON_EDGE
from cacao_env.value import features, net, patterns, turns
from cacao_env.value.agent import ValueAgent
from cacao_env.value.search import SearchAgent, look_ahead
from training.value.first_layer import FirstLayer
from training.value.net import ValueNet

from .games import STYLES, positions
from .test_hidden_information import scramble
from .test_symmetry import image_of_game


def some_net(seed: int = 0, **size: int) -> ValueNet:
    torch.manual_seed(seed)
    found = ValueNet(**size)
    with torch.no_grad():
        for parameter in found.parameters():  # biases too, so that each of them counts
            parameter.add_(0.05 * torch.randn_like(parameter))
    return found


def looked_at(game: Game, viewer: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    numbers = np.zeros(features.NUM_NUMBERS, np.float32)
    rows = np.zeros(features.MAX_ROWS, np.uint16)
    count, tiles, cells = features.features_into(game.state, viewer, numbers, rows)
    assert (rows[count:] == features.NO_ROW).all()
    assert (rows[:count] < features.NO_ROW).all()
    assert (rows[:cells] < features.OWN_TILE).all()
    assert ((rows[cells:tiles] >= features.OWN_TILE) & (rows[cells:tiles] < features.ALONE)).all()
    assert (rows[tiles:count] >= features.ALONE).all()
    return numbers, rows, tiles, cells


# --- Patterns and features ------------------------------------------------------------------


def test_patterns_are_alike_where_a_symmetry_makes_them_so_and_nowhere_else():
    rng = np.random.default_rng(0)
    base = patterns.NUM_LETTERS

    def number(letters) -> int:
        word = 0
        for letter in letters:
            word = word * base + letter
        return int(patterns.PATTERN[word])

    for _ in range(2000):
        word = rng.integers(0, base, 4).tolist()
        images = [word[k:] + word[:k] for k in range(4)]
        images += [image[::-1] for image in images]
        other = rng.permutation(word).tolist()
        assert len({number(image) for image in images}) == 1
        assert (number(other) == number(word)) == (other in images)
        kept = patterns.PATTERN_LETTERS[number(word)].tolist()
        assert kept in images


def test_parts_of_patterns_are_counted():
    parts = patterns.pattern_parts()
    assert (parts[:, : patterns.NUM_LETTERS].sum(axis=1) == 4).all()
    assert (parts.sum(axis=1) == 4 + 4 + 2).all()
    assert len(np.unique(parts, axis=0)) == patterns.NUM_PATTERNS  # none is lost


@pytest.mark.parametrize("style", sorted(STYLES))
@pytest.mark.parametrize(("players", "volcanoes"), [(2, True), (3, False), (4, True)])
def test_features_are_the_same_for_all_images_of_a_position(players, volcanoes, style):
    rng = np.random.default_rng(players)
    game = Game.new(players, 5, volcanoes)
    seen = 0
    for number, _ in enumerate(positions(game, rng, STYLES[style])):
        if game.phase != "place" or number % 3:
            continue
        for viewer in range(players):
            numbers, rows, *_ = looked_at(game, viewer)
            for g in range(1, 8):
                other_numbers, other_rows, *_ = looked_at(image_of_game(g, game), viewer)
                assert (other_numbers == numbers).all()
                assert sorted(other_rows) == sorted(rows)
                seen += 1
    assert seen >= 50


def test_features_show_nothing_hidden():
    rng = np.random.default_rng(1)
    for players in (2, 3, 4):
        game = Game.new(players, 2, players == 3)
        for _ in positions(game, rng):
            for viewer in range(players):
                other = scramble(game, viewer, rng)
                ours, others = looked_at(game, viewer), looked_at(other, viewer)
                assert all(np.array_equal(a, b) for a, b in zip(ours, others))


def test_features_do_not_depend_on_what_is_drawn_after_a_turn():
    rng, dice = new_rng(4), np.random.default_rng(4)
    hands = displays = 0
    for players in (2, 3, 4):
        game = Game.new(players, 3, players == 3)
        for _ in positions(game, dice):
            if game.over:
                continue
            mover, turn = int(game.state.active), game.turn
            if game.seat != mover:
                continue
            action = int(dice.choice(game.legal_actions()))
            one, other = game.clone(), game.clone()
            other.redeal(mover, rng)
            one.play(action)
            other.play(action)
            after, same = one.state, (one.state.board == other.state.board).all()
            if one.over or one.turn != turn + 1 or one.phase != "place" or not same:
                continue
            ours, others = looked_at(one, mover), looked_at(other, mover)
            assert all(np.array_equal(a, b) for a, b in zip(ours, others, strict=True))
            hands += (after.hand[mover] != other.state.hand[mover]).any()
            displays += (after.display != other.state.display).any()
    assert hands > 20
    assert displays > 20


def test_features_tell_stocks_seats_and_tiles_apart():
    game = Game.new(3, 7)
    rng = np.random.default_rng(3)
    for _ in positions(game, rng):
        if game.turn > 20 and game.phase == "place":
            break
    base = [looked_at(game, viewer) for viewer in range(3)]
    for viewer in range(3):
        for i in range(3):
            first, seat = i * features.PER_SEAT, (viewer + i) % 3
            own = base[viewer][0][first : first + features.PER_SEAT]
            assert own[1] * 30 == pytest.approx(game.state.gold[seat], abs=1e-4)
            assert own[5:].sum() * 5 == pytest.approx(game.state.unplaced[seat].sum(), abs=1e-4)
            assert own[3] * 15 == pytest.approx(
                game.scores()[viewer] - game.scores()[seat], abs=1e-4
            )
    for field, change in (("gold", 3), ("cacao", -1), ("sun", 1), ("water", 1)):
        for seat in range(3):
            other = game.clone()
            values = getattr(other.state, field)
            values[seat] = max(0, int(values[seat]) + change) if values[seat] else 1
            for viewer in range(3):
                numbers, rows, *_ = looked_at(other, viewer)
                same = (numbers == base[viewer][0]).all() and (rows == base[viewer][1]).all()
                assert not same


def test_features_count_workers_at_temples_and_edges_that_wait():
    rng = np.random.default_rng(5)
    led = waiting = 0
    for players in (2, 3, 4):
        game = Game.new(players, 8)
        for number, _ in enumerate(positions(game, rng)):
            if number % 5:
                continue
            board, state = game.state.board, game.state
            for viewer in range(players):
                temples, edges = [], []
                for cell in state.temple_cells[: state.temple_count]:
                    beside = [int(board[NEIGHBOR[cell, side]]) for side in range(4)]
                    workers = [0] * players
                    for side, code in enumerate(beside):
                        if code > 0:
                            workers[OWNER[code]] += int(WORKERS[code, (side + 2) % 4])
                    own = min(features.MAX_COUNT, workers.pop(viewer))
                    most = min(features.MAX_COUNT, max(workers))
                    free = sum(code <= 0 for code in beside)
                    temples.append((own * (features.MAX_COUNT + 1) + most) * 5 + free)
                    led += own > most
                for cell in state.worker_cells[: state.worker_count]:
                    code = int(board[cell])
                    seat = (int(OWNER[code]) - viewer) % players
                    for side in range(4):
                        if board[NEIGHBOR[cell, side]] == -1 and jungle_left(state) > 0:
                            edges.append(seat * (MAX_WORKERS_ON_EDGE + 1) + WORKERS[code, side])
                rows = looked_at(game, viewer)[1].astype(int)
                of_temples = rows[(rows >= features.TEMPLES) & (rows < features.STOCKS)]
                assert sorted(of_temples - features.TEMPLES) == sorted(temples)
                of_edges = rows[(rows >= features.ALONE) & (rows < features.TEMPLES)]
                assert sorted(of_edges - features.ALONE) == sorted(edges)
                waiting += len(edges)
    assert led > 20
    assert waiting > 500


# --- The network ----------------------------------------------------------------------------


def some_samples() -> list[tuple]:
    """(numbers, rows, count, patterns, open cells, stage) of positions of all kinds."""
    rng = np.random.default_rng(0)
    found = []
    for players in (2, 3, 4):
        game = Game.new(players, 1, players != 3)
        for number, _ in enumerate(positions(game, rng, STYLES["overbuild"])):
            if number % 4 or game.over:
                continue
            viewer = number % players
            numbers, rows, tiles, cells = looked_at(game, viewer)
            stage = int(features.STAGE[int(game.state.tiles_each) - int(game.state.placed[viewer])])
            count = int((rows != features.NO_ROW).sum())
            found.append((numbers, rows, count, tiles, cells, stage))
    assert len({row[5] for row in found}) == features.STAGES
    assert any(row[3] > row[4] for row in found)
    return found


def columns(samples: list[tuple]) -> list[torch.Tensor]:
    return [torch.from_numpy(np.array(column)) for column in zip(*samples)]


@pytest.mark.parametrize("size", [{}, {"sums": 24, "maxima": 8, "units": 16}])
def test_compiled_code_computes_what_torch_does(size):
    model = some_net(**size)
    compiled = model.compiled()
    scratch = net.new_scratch(compiled)
    samples, expected = some_samples(), []
    for numbers, rows, count, tiles, cells, stage in samples:
        scratch.numbers[:], scratch.rows[:] = numbers, rows
        net.forward(compiled, scratch, count, tiles, cells, stage)
        expected.append(scratch.out.copy())
    with torch.no_grad():
        found = model(*columns(samples)).numpy()
    assert np.abs(found - np.array(expected)).max() < 1e-4
    assert np.abs(found).max() > 0.1


def test_the_first_layer_and_its_gradients_are_those_of_plain_matrices():
    model = some_net(sums=6, maxima=4, units=5)
    samples = some_samples()
    _, rows, counts, tiles, cells, _ = columns(samples)
    weights = [x.detach().clone().requires_grad_() for x in (model.rows, model.part_rows)]
    weights.append(model.part_best.detach().clone().requires_grad_())
    parts = torch.from_numpy(patterns.pattern_parts())
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
    rng = np.random.default_rng(0)
    for seed in range(20):
        game = Game.new(2 + seed % 3, seed)
        for _ in positions(game, rng):
            pass
        net.expect(compiled, scratch, game.state, 0)
        players = game.num_players
        assert scratch.points[:players].tolist() == game.scores()
        winners = game.winners()
        shares = [(seat in winners) / len(winners) for seat in range(players)]
        assert scratch.shares[:players].tolist() == pytest.approx(shares)
        for field in ("gold", "temples", "sun", "water", "cacao"):
            getattr(game.state, field)[:players] = 3
        net.expect(compiled, scratch, game.state, 0)  # a tie
        assert scratch.shares[:players].tolist() == pytest.approx([1 / players] * players)


# --- Whole turns ----------------------------------------------------------------------------


def best_end(model, game: Game, action: int, seat: int) -> float:
    """The best utility that a turn can end with, all continuations by ``seat`` played through."""
    compiled = model.compiled()
    scratch = net.new_scratch(compiled)
    turn, best = game.turn, -2.0
    start = game.clone()
    start.play(action)
    todo = [start]
    while todo:
        position = todo.pop()
        if position.over or position.turn != turn:
            net.expect(compiled, scratch, position.state, seat)
            best = max(best, net.utility_of(scratch, game.num_players, seat))
            continue
        if position.seat != seat:
            return np.nan  # others act in between: by greedy, which may draw lots
        for following in position.legal_actions():
            after = position.clone()
            after.play(int(following))
            todo.append(after)
    return best


def test_an_action_is_worth_the_best_end_of_its_turn():
    model = some_net()
    compiled = model.compiled()
    scratch, work, rng = net.new_scratch(compiled), turns.new_work(), new_rng(0)
    dice = np.random.default_rng(0)
    compared = 0
    for seed in range(6):
        game = Game.new(2 + seed % 3, seed, seed % 2 == 0)
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


def test_only_the_best_placements_by_greedy_are_appraised_if_asked():
    compiled = some_net().compiled()
    scratch, work, rng = net.new_scratch(compiled), turns.new_work(), new_rng(0)
    ids, values = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    game = Game.new(2, 1)
    everything = turns.appraise_with(compiled, scratch, work, game.state, 0, FILL, ids, values, rng)
    assert sorted(ids[:everything]) == game.legal_actions().tolist()
    assert turns.appraise_with(compiled, scratch, work, game.state, 5, FILL, ids, values, rng) == 5
    assert set(ids[:5]) <= set(game.legal_actions().tolist())


# --- Search ---------------------------------------------------------------------------------


def one_simulation(compiled, game: Game, action: int, top: int, after: int, rng) -> float:
    """What a simulation finds an action worth, played step by step for so many own turns."""
    scratch, work = net.new_scratch(compiled), turns.new_work()
    ids, values = np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    seat, turn = game.seat, game.turn
    here = game.clone()
    here.redeal(seat, rng)
    dice = np.array([next_bits(rng)], np.uint64)
    here.play(action)
    while not here.over:
        args = (compiled, scratch, work, here.state, top, FILL, ids, values, dice)
        count = turns.appraise_with(*args)
        best = int(np.argmax(values[:count])) if count > 1 else 0
        if here.phase == "place" and here.seat == seat and here.turn > turn:
            after -= 1
            if after <= 0 and count > 1:
                return values[best]
        here.play(int(ids[best]))
    net.expect(compiled, scratch, here.state, seat)
    return net.utility_of(scratch, game.num_players, seat)


def test_a_simulation_ends_with_the_seat_s_next_turn():
    compiled = some_net(sums=16, maxima=8, units=8).compiled()
    scratch, work = net.new_scratch(compiled), turns.new_work()
    dice = np.random.default_rng(1)
    compared = apart = 0
    for players in (2, 3, 4):
        game = Game.new(players, 6, players == 4)
        for _ in positions(game, dice):
            if game.over or dice.random() > 0.4 or len(game.legal_actions()) < 3:
                continue
            actions = dice.choice(game.legal_actions(), 3, replace=False).astype(np.int64)
            expected, after = [], 1 + compared % 2
            for action in actions:  # all of them meet the same deal and dice
                rng = new_rng(compared)
                expected.append(one_simulation(compiled, game, int(action), 4, after, rng))
            sums, rng = np.zeros(3), new_rng(compared)
            look_ahead(compiled, scratch, work, game.states, actions, 3, sums, 1, 4, after, rng)
            assert sums == pytest.approx(expected, abs=1e-5)
            two, rng = np.zeros(3), new_rng(compared)
            look_ahead(compiled, scratch, work, game.states, actions, 3, two, 2, 4, after, rng)
            apart += not np.allclose(two, 2 * sums, atol=1e-7)  # each pass has a deal of its own
            compared += 1
    assert compared > 20
    assert apart > 10


# --- Agents ---------------------------------------------------------------------------------


@pytest.mark.parametrize("decisions", ["auto", "explicit"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_agents_play_whole_games_of_all_kinds(players, decisions):
    compiled = some_net(sums=16, maxima=8, units=8).compiled()
    game = Game.new(players, 4, players == 3, decisions)
    agents = [ValueAgent(compiled, 1), SearchAgent(compiled, 2, sims=4, width=2, inner=2, exact=2)]
    play_game(game, [agents[seat % 2] for seat in range(players)])
    assert game.over


def test_agents_do_the_same_whatever_is_hidden():
    compiled = some_net().compiled()
    rng = np.random.default_rng(2)
    game = Game.new(3, 8)
    for number, _ in enumerate(positions(game, rng)):
        if game.over or number % 6:
            continue
        other = scramble(game, game.seat, rng)
        assert ValueAgent(compiled, 1).act(game) == ValueAgent(compiled, 1).act(other)
        searching = {"sims": 8, "width": 4, "inner": 3, "exact": 2}
        first = SearchAgent(compiled, 1, **searching).act(game)
        assert first == SearchAgent(compiled, 1, **searching).act(other)
