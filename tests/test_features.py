"""What a value network sees: patterns and features."""

from __future__ import annotations

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.greedy import greedy_analyze
from cacao_env.agents.value import best_turn, features, patterns
from cacao_env.agents.value.best_turn import new_room
from cacao_env.engine.geometry import NEIGHBOR, opposite
from cacao_env.engine.rng import new_rng
from cacao_env.engine.state import OWNER, WORKERS, jungle_left
from cacao_env.engine.tiles import (
    HAND_SIZE,
    MAX_PLAYERS,
    MAX_WORKERS_ON_EDGE,
    NUM_VARIANTS,
)
from tests.games import STYLES, positions
from tests.test_hidden_information import scramble
from tests.test_symmetry import image_of_game


def looked_at(game: Game, viewer: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    numbers = np.zeros(features.NUM_NUMBERS, np.float32)
    rows = np.zeros(features.MAX_ROWS, np.uint16)
    count, tiles, cells = features.features_into(
        game.state, viewer, features.LAYOUT.prospects, new_room(), numbers, rows
    )
    assert (rows[count:] == features.NO_ROW).all()
    assert (rows[:count] < features.NO_ROW).all()
    assert (rows[:cells] < features.OWN_TILE).all()
    assert ((rows[cells:tiles] >= features.OWN_TILE) & (rows[cells:tiles] < features.ALONE)).all()
    assert (rows[tiles:count] >= features.ALONE).all()
    return numbers, rows, tiles, cells


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
    numbers, counts = patterns.parts_and_counts()
    parts = np.zeros((patterns.NUM_PATTERNS, patterns.NUM_PARTS), np.int64)
    for pattern, (own, times) in enumerate(zip(numbers.T, counts.T, strict=True)):
        np.add.at(parts[pattern], own, times.astype(np.int64))
    assert (parts[:, : patterns.NUM_LETTERS].sum(axis=1) == 4).all()
    assert (parts.sum(axis=1) == 4 + 4 + 2).all()
    assert len(np.unique(parts, axis=0)) == patterns.NUM_PATTERNS  # none is lost


@pytest.mark.parametrize("style", sorted(STYLES))
@pytest.mark.parametrize(("players", "volcanoes"), [(2, True), (3, False), (4, True)])
def test_features_are_the_same_for_all_images_of_a_position(players, volcanoes, style):
    rng = np.random.default_rng(players)
    game = Game.new(players, 5, volcanoes=volcanoes)
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
        game = Game.new(players, 2, volcanoes=players == 3)
        for _ in positions(game, rng):
            for viewer in range(players):
                other = scramble(game, viewer, rng)
                ours, others = looked_at(game, viewer), looked_at(other, viewer)
                assert all(np.array_equal(a, b) for a, b in zip(ours, others))


def test_features_do_not_depend_on_what_is_drawn_after_a_turn():
    rng, dice = new_rng(4), np.random.default_rng(4)
    hands = displays = 0
    for players in (2, 3, 4):
        game = Game.new(players, 3, volcanoes=players == 3)
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
                            workers[OWNER[code]] += int(WORKERS[code, opposite(side)])
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


def forget_last_draw(game: Game, seat: int, mover: int) -> None:
    """Take the tile out of the seat's hand that it drew at the end of the turn before."""
    state, placed = game.state, int(game.state.placed[seat])
    if (
        (mover - 1) % game.num_players == seat
        and placed
        and placed + HAND_SIZE <= int(state.tiles_each)
    ):
        state.hand[seat, state.worker_draws[seat, placed + HAND_SIZE - 1]] -= 1


def test_features_of_a_games_end_have_what_the_best_turn_brings_each_seat():
    rng, dice = np.random.default_rng(6), new_rng(6)
    seen = finished = earlier = told = alike = 0
    for players in (2, 3, 4):
        for seed in range(4):
            game = Game.new(players, seed, volcanoes=players == 3)
            for _ in positions(game, rng):
                if game.phase != "place":
                    continue
                state = game.state
                left = (state.tiles_each - state.placed[:players]).astype(int)
                for viewer in range(players):
                    found = looked_at(game, viewer)[0][features.PROSPECTS :]
                    if left[viewer] > features.LAYOUT.prospects:
                        assert (found == 0).all()
                        earlier += 1
                        continue
                    own_cell, ties = -1, 0
                    for i in range(players, MAX_PLAYERS):
                        assert (found[i::MAX_PLAYERS] == 0).all()
                    for i in range(players):
                        seat = (viewer + i) % players
                        other = game.clone()
                        other.state.seat = other.state.active = seat
                        if seat == viewer:
                            forget_last_draw(other, seat, int(state.active))
                        else:
                            other.state.hand[seat] = other.state.unplaced[seat]
                        for slot in range(2):
                            if (state.refilled >> slot) & 1:
                                other.state.display[slot] = 0
                        best, second, cell = 0.0, 0.0, -2
                        if left[seat] > 0 and len(other.legal_actions()):
                            analysis = greedy_analyze(other.states, dice)
                            cells = analysis.actions // NUM_VARIANTS
                            best = analysis.values.max()
                            cell = cells[analysis.values.argmax()]
                            elsewhere = analysis.values[cells != cell]
                            second = max(0.0, elsewhere.max(initial=0.0))
                            seen += 1
                            ties += (analysis.values > best - 1e-9).sum() > 1
                        if i == 0:
                            own_cell = cell
                        finished += left[seat] == 0
                        assert found[best_turn.BEST + i] * 10 == pytest.approx(best, abs=1e-4)
                        if ties == 0:  # with ties the best cell is a matter of order
                            shared = found[best_turn.SHARED + i]
                            assert shared == (cell >= 0 and cell == own_cell)
                            told += 1
                            alike += i > 0 and shared
                            other_gold = found[best_turn.OTHER + i] * 10
                            assert other_gold == pytest.approx(second, abs=1e-4)
    assert seen > 200
    assert finished > 20
    assert told > 200
    assert alike > 20
    assert earlier > 500
