"""What a value network sees: patterns and features."""

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.value import features, patterns
from cacao_env.agents.value.best_turn import new_room
from cacao_env.engine.actions import ACT_ACTIONS, num_actions, split_act
from cacao_env.engine.geometry import NEIGHBOR
from cacao_env.engine.rng import new_rng
from cacao_env.engine.tiles import VOLCANO
from tests.games import STYLES, game_after, positions
from tests.test_hidden_information import scramble
from tests.test_symmetry import image_of_game
from tests.tiers import mostly_slow


def looked_at(game: Game, viewer: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    numbers = np.zeros(features.NUM_NUMBERS, np.float32)
    rows = np.zeros(features.MAX_ROWS, np.uint16)
    count, tiles, cells = features.features_into(
        game.state, viewer, features.PROSPECTS_FROM, new_room(), numbers, rows
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
        assert patterns.PATTERN_LETTERS[number(word)].tolist() in images


@pytest.mark.parametrize("style", mostly_slow(sorted(STYLES)))
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


def test_a_pattern_says_whether_a_volcano_gives_or_takes():
    rng, seen = np.random.default_rng(0), {patterns.PAYS: 0, patterns.COSTS: 0}
    for seed in range(8):
        game = Game.new(3, seed, volcanoes=True, decisions="explicit")
        first = num_actions(game.table_size) - ACT_ACTIONS
        for _ in positions(game, rng):
            for action in game.legal_actions() if game.phase == "act" else ():
                side, facing, workers = split_act(int(action) - first)
                cell = NEIGHBOR[game.state.last, side]
                if game.state.board[cell] < VOLCANO or not workers:
                    continue
                letter = patterns.LETTER[(facing + 2) % 4, game.state.board[cell]]
                after = game_after(game, action)
                gain = int(after.state.gold[game.seat]) - int(game.state.gold[game.seat])
                assert gain >= 0 if letter == patterns.PAYS else gain <= 0
                seen[letter] += gain != 0
    assert min(seen.values()) > 5, seen


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
            lead = game.scores()[viewer] - game.scores()[seat]
            assert own[3] * 15 == pytest.approx(lead, abs=1e-4)
    for field, change in (("gold", 3), ("cacao", -1), ("sun", 1), ("water", 1)):
        for seat in range(3):
            other = game.clone()
            values = getattr(other.state, field)
            values[seat] = max(0, int(values[seat]) + change) if values[seat] else 1
            for viewer in range(3):
                numbers, rows, *_ = looked_at(other, viewer)
                assert not ((numbers == base[viewer][0]).all() and (rows == base[viewer][1]).all())
