"""The candidate view: which rows there are, what they say, and what they must not say."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cacao_env import Game, cacao_v0
from cacao_env.cli.spec import data
from cacao_env.engine import symmetry as sym
from cacao_env.engine.decisions import NONE
from cacao_env.engine.geometry import NEIGHBOR
from cacao_env.engine.options import DECISIONS
from cacao_env.engine.state import AUTO, OVER, TURN, WORKERS
from cacao_env.engine.tiles import JUNGLE_KINDS, NUM_VARIANTS, VARIANT_KIND, VOLCANO, WATER_TRACK
from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames
from cacao_env.gold_sources import SOURCES, gold_by_source
from cacao_env.greedy.candidates import Candidates, candidates_into, sample_rows
from cacao_env.greedy.columns import COLUMNS, CONTEXT_COLUMNS, ROW_COLUMNS
from cacao_env.greedy.turn import unasked
from cacao_env.greedy.values import Weights
from tests.games import STYLES, Deal, any_game, game_after, greedy_values, positions
from tests.test_hidden_information import scramble
from tests.test_symmetry import image_of_game

SIZE = Candidates()
COLUMN = {name: number for number, (name, *_) in enumerate(ROW_COLUMNS)}


def look(game: Game, size: Candidates = SIZE, viewer: int | None = None):
    """(rows and context, mask, actions) of a seat, by default the deciding one."""
    seen = np.full((1, *size.shape), np.nan, np.float32)
    masks, ids = np.full((1, size.rows), 9, np.int8), np.full((1, size.rows), 9, np.int64)
    viewers = np.array([game.seat if viewer is None else viewer])
    candidates_into(game.states, viewers, size.rows, size.replies, seen, masks, ids)
    return seen[0], masks[0], ids[0]


# The name of each jungle tile's class, and its value there.
CLASSES = {
    **{"plantation1": ("plantations", 1), "plantation2": ("plantations", 2)},
    **{"market2": ("markets", 2), "market3": ("markets", 3), "market4": ("markets", 4)},
    **{"mine1": ("mines", 1), "mine2": ("mines", 2), "water": ("waters", 1), "sun": ("sun", 1)},
    **{"temple": ("temples", 1), "volcano": ("volcanoes", 1)},
}


def context_of(game, viewer):
    """The row of context by the names of its columns; what is not there is 0."""
    state, players = game.state, game.num_players
    display = [JUNGLE_KINDS[min(int(code), VOLCANO) - 1] for code in state.display if code > 0]
    pile = len(game.draws[1]) - int(state.jungle_drawn)
    found = {
        f"phase_{game.phase}": 1,
        f"players_{players}": 1,
        "volcanoes": game.volcanoes,
        "overbuilding": int(state.overbuilding),  # from the turn after the last jungle tile on
        "jungle_left": (pile + len(display)) / 26,
    }
    for kind in display:
        name, value = CLASSES[kind]
        found[f"display_{name}"] = found.get(f"display_{name}", 0) + value / 8
    temples = gold_by_source(game)[:, SOURCES.index("temples")]
    for relative in range(players):
        seat = (viewer + relative) % players
        numbers = {
            "gold": int(state.gold[seat]) / 16,
            "score": game.scores()[seat] / 16,
            "cacao": int(state.cacao[seat]) / 5,
            "sun": int(state.sun[seat]) / 3,
            "water": int(state.water[seat]) / 8,
            "temples": temples[seat] / 6,
            "left": int(state.tiles_each - state.placed[seat]) / 11,
        }
        found |= {f"{name}_{relative}": number for name, number in numbers.items()}
    one, two, *three = (int(count) / 3 for count in state.hand[viewer])
    return found | {"hand_1111": one, "hand_2101": two, "hand_3001": sum(three)}


@given(any_game(*DECISIONS))
def test_the_context_says_what_the_game_says(deal):
    names = [name for name, *_ in CONTEXT_COLUMNS]
    for position, _ in deal.positions():
        viewer = (position.ply + deal.seed) % deal.players
        seen = look(position, Candidates(4, 0), viewer)[0][-1]
        expected = context_of(position, viewer)
        assert expected.keys() - set(names) <= {"phase_over", "phase_None"}
        expected = [expected.get(name, 0) for name in names]
        np.testing.assert_allclose(seen[: len(names)], expected, atol=1e-6)


@given(any_game(*DECISIONS))
def test_rows_are_greedy_s_best_choices_in_range(deal):
    size = Candidates((4, 48)[deal.seed % 2], 3)
    low, high = size.limits()
    for position, _ in deal.positions():
        if position.over:
            break
        seen, mask, ids = look(position, size)
        legal = set(position.legal_actions().tolist())
        count = min(size.rows, len(legal))
        assert mask.tolist() == [1] * count + [0] * (size.rows - count)
        assert len(set(ids[:count].tolist()) & legal) == count
        assert (ids[count:] == -1).all()
        assert (seen >= low).all()
        assert (seen <= high).all()
        assert (seen[count:-1] == 0).all()
        assert (seen[:count, COLUMN["legal"]] == 1).all()
        assert (seen[: min(count, 3), COLUMN["known"]] == 1).all()
        rank, value, behind = (seen[:count, COLUMN[name]] for name in ("rank", "value", "behind"))
        assert rank == pytest.approx(np.arange(count) / size.rows)
        assert (np.diff(value) <= 0).all()
        if value[0] < 4:
            assert behind[value > -4] == pytest.approx((value - value[0])[value > -4], abs=1e-6)
        if position.phase == "place":
            values = greedy_values(position)
            own = np.array([values[action] for action in ids[:count].tolist()])
            assert value == pytest.approx(np.clip(own / 16, -4, 4), abs=1e-6)
            # None that is left out is better.
            rest = [value for action, value in values.items() if action not in ids]
            assert own.min() >= max(rest, default=-1e9) - 2e-6
        # Who does not decide sees the context alone.
        seen, mask, ids = look(position, size, (position.seat + 1) % deal.players)
        assert not seen[:-1].any()
        assert not mask.any()
        assert (ids == -1).all()


def fillable(state) -> int:
    """Empty jungle cells beside the tile placed last, which the next tile beside them fills."""
    cells = NEIGHBOR[int(state.last)]
    return sum(state.board[c] <= 0 and (state.board[NEIGHBOR[c]] > 0).sum() == 1 for c in cells)


def table_around(before, now):
    """What the columns say of the tiles around the worker tile placed last, by their names."""
    found = {"opened": 0.0, "waiting": 0.0}
    found |= {f"free_{one}": 0.0 for one, _ in CLASSES.values()}
    found |= {f"laid_{kind}": 0.0 for kind in JUNGLE_KINDS}
    cell = int(now.last)
    for side, beside in enumerate(NEIGHBOR[cell]):
        code = int(now.board[beside])
        if code <= 0:
            found["waiting"] += WORKERS[int(now.board[cell]), side] / 4
            continue
        kind = JUNGLE_KINDS[min(code, VOLCANO) - 1]
        name, value = CLASSES[kind]
        others = [there for there in NEIGHBOR[beside] if there != cell]
        found[f"free_{name}"] += sum(now.board[there] <= 0 for there in others) * value / 12
        if before.board[beside] <= 0:  # laid in this turn
            found[f"laid_{kind}"] += 1 / 2
            found["opened"] += sum(before.board[there] == 0 for there in others) / 6
    return found


def at_turn_s_end(position, action):
    """The state after an action and the rest of its turn, which nobody is asked."""
    after = game_after(position, action)
    while not after.over and after.turn == position.turn:
        after.play(int(unasked(after.state, TURN)))
    return after.state


@given(any_game(*DECISIONS))
def test_rows_say_where_choices_lead(deal):
    """Placements by greedy's sums, which now and then differ from play; fills and actions exactly."""
    tried = wrong = 0
    for position, rng in deal.positions():
        if position.over:
            break
        seen, mask, ids = look(position)
        row = int(rng.integers(mask.sum()))
        seat, before = position.seat, position.state
        now = at_turn_s_end(position, ids[row])
        temples = [int(now.temples[one]) - int(before.temples[one]) for one in range(deal.players)]
        following = (seat + 1) % deal.players
        drawn_inside = int(now.jungle_drawn) - int(before.jungle_drawn)
        laid = int(now.jungle_count) - int(before.jungle_count)
        expected = {
            "gold": (int(now.gold[seat]) - int(before.gold[seat])) / 16,
            "cacao": int(now.cacao[seat]) / 5,
            "water": int(now.water[seat]) / 8,
            "sun": int(now.sun[seat]) / 3,
            "temples": temples[seat] / 6,
            "temples_next": temples[following] / 6,
            "temples_rest": (sum(temples) - temples[seat] - temples[following]) / 6,
            "cacao_change": (int(now.cacao[seat]) - int(before.cacao[seat])) / 5,
            "water_gold": (WATER_TRACK[int(now.water[seat])] - WATER_TRACK[int(before.water[seat])])
            / 16,
            "overbuilds": position.phase == "place" and before.board[now.last] > 0,
            "laid": laid / 3,
            "fillable": fillable(now) / 4,
            **table_around(before, now),
        }
        if position.phase != "place" and drawn_inside > laid:
            continue  # a tile was drawn in the middle of the turn
        same = all(abs(seen[row, COLUMN[k]] - x) < 1e-5 for k, x in expected.items())
        tried += 1
        wrong += not same
        if position.phase == "act":
            assert same
    assert wrong <= 1 + tried // 10


def test_where_a_move_is_forced_it_is_the_first_row():
    """Greedy plays it before it compares, also with decisions that ask for it."""
    seen = 0
    for seed in range(6):
        game = Game.new(2 + seed % 3, seed, decisions="explicit")
        for position in positions(game, np.random.default_rng(seed)):
            forced = NONE if position.over else unasked(position.state, AUTO)
            if forced != NONE and len(position.legal_actions()) > 1:
                assert look(position)[2][0] == forced
                seen += 1
    assert seen > 100


def test_fills_say_what_temples_bring_each_of_the_others():
    laid = 0
    for seed in range(40):
        game, rng = Game.new(4, seed), np.random.default_rng(seed)
        for position in positions(game, rng, STYLES["crowd"]):
            if position.over or position.phase != "fill":
                continue
            seen, mask, ids = look(position)
            seat, before = position.seat, position.state
            for row in range(int(mask.sum())):
                now = at_turn_s_end(position, ids[row])
                if now.jungle_drawn - before.jungle_drawn > 1:
                    continue  # a tile was drawn in the middle of the turn
                gains = [int(now.temples[k]) - int(before.temples[k]) for k in range(4)]
                rest = [gains[(seat + k) % 4] for k in (2, 3)]
                assert seen[row, COLUMN["temples_next"]] == pytest.approx(gains[(seat + 1) % 4] / 6)
                assert seen[row, COLUMN["temples_rest"]] == pytest.approx(sum(rest) / 6)
                laid += any(rest)
    assert laid > 5


def at_work(before, now, seat):
    """What the columns say of the workers of the tile placed last, where one thing decides it."""
    covered, placed = int(before.board[now.last]), int(now.board[now.last])
    harvest = markets = facing = 0
    for side, beside in enumerate(NEIGHBOR[int(now.last)]):
        code = int(now.board[beside])
        name, value = CLASSES[JUNGLE_KINDS[min(code, VOLCANO) - 1]] if code > 0 else ("", 0)
        workers = int(WORKERS[placed, side])
        harvest += workers * value * (name == "plantations")
        markets += workers * (name == "markets")
        if name == "temples":
            facing += workers - (int(WORKERS[covered, side]) if covered > 0 else 0)
    kept = int(before.cacao[seat]) - int(now.cacao[seat])
    found = {"facing_temples": max(0, facing) / 4}
    if not harvest:
        found["unsold"] = (markets - kept) / 4
    stored = int(before.cacao[seat])
    if not markets:
        found["wasted"] = (harvest + kept) / 5
    elif stored >= markets:  # what is sold first makes room
        found["wasted"] = max(0, stored - markets + harvest - 5) / 5
    return found


def test_a_placement_that_lays_nothing_says_what_its_workers_do():
    """Workers at a temple can take its prizes from the next seat, for every such placement."""
    changed = dict.fromkeys(("temples_next", "facing_temples", "unsold", "wasted"), 0)
    sold_first = 0
    for seed in range(12):
        game = Game.new(2, seed, decisions="turn")
        for position in positions(game, np.random.default_rng(seed), STYLES["crowd"]):
            if position.over:
                break
            seen, mask, ids = look(position)
            seat, before = position.seat, position.state
            for row in range(int(mask.sum())):
                now = game_after(position, ids[row]).state
                if now.jungle_count > before.jungle_count:
                    continue
                gain = int(now.temples[1 - seat]) - int(before.temples[1 - seat])
                expected = {"temples_next": gain / 6, **at_work(before, now, seat)}
                sold_first += {"wasted", "unsold"} - set(expected) == {"unsold"}
                for name, value in expected.items():
                    assert seen[row, COLUMN[name]] == pytest.approx(value), name
                    changed[name] += value != 0
    assert min(changed.values()) > 20, changed
    assert sold_first > 20


def worth(game: Game, seat: int, left: int) -> float:
    """What a seat's coins and stocks are worth to it with ``left`` placements to come (``Weights``)."""
    state, weights = game.state, Weights()
    gold, cacao, water, sun = (int(state[name][seat]) for name in ("gold", "cacao", "water", "sun"))
    each = weights.cacao - weights.crowded * (cacao - 1)
    step = int(WATER_TRACK[min(water + 1, 8)]) - int(WATER_TRACK[water])
    coming = weights.water * min(1, left / weights.water_fade) * step
    held = min(sun, left) * (1 + weights.sun * min(1, left / weights.sun_fade))
    coins = gold + max(0, sun - left)  # a token beyond the placements left is a coin
    stored = cacao * each * min(1, left / weights.cacao_fade)
    return coins + stored + WATER_TRACK[water] + coming + held


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rows_say_what_a_turn_brings_the_other_seats(players):
    """Against the turn played on, where it lays one tile and no other seat has two edges at it."""
    seen_of = {"gain_next": 0, "gain_rest": 0, "sun_change": 0}
    tried = wrong = 0
    for seed in range(24):
        game = Game.new(players, seed, volcanoes=seed % 2 == 1, decisions="turn")
        for position in positions(game, np.random.default_rng(seed), STYLES["overbuild"]):
            if position.over:
                break
            seen, mask, ids = look(position)
            row = (seed * 7 + position.ply) % int(mask.sum())
            seat, before = position.seat, position.state
            left = int(before.tiles_each) - int(before.placed[seat]) - 1
            after = game_after(position, ids[row])
            now, expected = after.state, dict.fromkeys(seen_of, 0.0)
            for other in range(players):
                gain = worth(after, other, left) - worth(position, other, left)
                if other == (seat + 1) % players:
                    expected["gain_next"] += gain / 16
                elif other != seat:
                    expected["gain_rest"] += gain / 16
            expected["sun_change"] = (int(now.sun[seat]) - int(before.sun[seat])) / 3
            if int(now.jungle_count) - int(before.jungle_count) > 1:
                continue  # edges at two tiles add up in their order
            tried += 1
            wrong += any(abs(seen[row, COLUMN[name]] - x) > 1e-5 for name, x in expected.items())
            for name, x in expected.items():
                seen_of[name] += abs(x) > 1e-6
    assert wrong == 0, f"{wrong} of {tried} rows differ from the turn played on"
    least = 20 if players > 2 else 0
    assert min(seen_of["gain_next"], seen_of["sun_change"]) >= 20
    assert seen_of["gain_rest"] >= least


@given(any_game(*DECISIONS))
def test_nothing_hidden_changes_a_row(deal):
    size = Candidates(20, 4)
    for position, rng in deal.positions():
        for viewer in range(deal.players) if position.over else [position.seat]:
            other = scramble(position, viewer, rng)
            for here, there in zip(look(position, size, viewer), look(other, size, viewer)):
                np.testing.assert_array_equal(here, there)


@example(Deal(2, True, "explicit", None, "crowd", 55), 1)
@given(any_game(*DECISIONS), st.integers(1, 7))
def test_images_of_a_position_have_the_same_rows(deal, g):
    size = Candidates(12, 3)
    for number, (position, _) in enumerate(deal.positions()):
        if position.over or number % 3:
            continue
        if position.phase == "fill" and (position.state.display == VOLCANO).all():
            continue  # each may lie in either cell, and equal ways to turn them lead elsewhere
        here, mask, ids = look(position, size)
        there, image_mask, image_ids = look(image_of_game(g, position), size)
        np.testing.assert_array_equal(mask, image_mask)
        np.testing.assert_allclose(here, there, atol=1e-5)
        if deal.decisions == "explicit" and position.phase != "place":
            continue  # of several forced moves any one comes first
        here, mask, ids = look(position, Candidates(256))
        _, _, image_ids = look(image_of_game(g, position), Candidates(256))
        rows = np.delete(here[:-1], COLUMN["rank"], axis=1)
        seen = position.observation(position.seat)
        for k in range(min(12, int(mask.sum()))):
            image = sym.transform_action(g, int(ids[k]), seen, deal.players, position.table_size)
            if image != image_ids[k]:  # then another row says the same
                assert np.isclose(rows, rows[k], atol=1e-5).all(axis=1).sum() > 1


def test_reply_is_the_mean_over_hands_and_follow_the_best_of_what_is_left():
    """Values of the next turns, with an empty jungle pile, so that a turn draws nothing."""
    several = 0
    for seed in range(4):
        game = Game.new(2, seed, decisions="turn")
        rng = np.random.default_rng(seed)
        while not game.over:
            bare = game.clone()
            bare.state.jungle_drawn = bare.state.num_jungle
            bare.state.jungle_pile[:] = bare.state.display[:] = 0
            seen, _, ids = look(bare, Candidates(48, 1))
            after = game_after(bare, ids[0])
            if not after.over:
                assert seen[0, COLUMN["reply"]] == pytest.approx(mean_of_hands(after), abs=1e-4)
                several += after.state.unplaced[after.seat].sum() > 4
                # The same seat again, with the two tiles that it has left in its hand.
                own = after.clone()
                own.state.seat = bare.seat
                own.state.hand[bare.seat] = bare.state.hand[bare.seat]
                own.state.hand[bare.seat, VARIANT_KIND[ids[0] % NUM_VARIANTS]] -= 1
                best = max(greedy_values(own).values(), default=0) / 16
                assert seen[0, COLUMN["follow"]] == pytest.approx(best, abs=1e-4)
            game.play(int(rng.choice(game.legal_actions())))
    assert several >= 20


def mean_of_hands(game: Game) -> float:
    """Greedy's best value for the deciding seat, over 16 gold: the mean over its hands."""
    unplaced = game.state.unplaced[game.seat]
    tiles = np.repeat(range(4), unplaced).tolist()
    one = game.clone()
    one.state.hand[game.seat] = unplaced
    best: dict[int, float] = {}
    for action, value in greedy_values(one).items():
        kind = int(VARIANT_KIND[action % NUM_VARIANTS])
        best[kind] = max(best.get(kind, -1e9), value)
    hands = combinations(tiles, min(3, len(tiles)))
    return np.mean([max(best[kind] for kind in hand) for hand in hands]) / 16


@pytest.mark.parametrize("decisions", DECISIONS)
def test_environments_and_batches_show_the_same_rows(decisions):
    size = Candidates(12, 2)
    env = cacao_v0.raw_env(decisions=decisions, observation=size)
    env.reset(seed=3)
    batch = VectorGames(5, decisions=decisions, observation=size, seed=1, num_threads=2)
    batch.states[2] = env.game.states[0]
    batch.look()
    rng = np.random.default_rng(0)
    while env.agents and not env.terminations[env.agent_selection]:
        for shown in (env.observe(env.agent_selection)["observation"], batch.observations[2]):
            np.testing.assert_array_equal(shown, look(env.game, size)[0])
        rows = batch.sample().copy()
        rows[2] = rng.integers(batch.action_masks[2].sum())
        env.step(int(rows[2]))
        batch.step(rows)
        assert batch.terminations[2] == (env.game.state.phase == OVER)
        other = env.possible_agents[1 - env.possible_agents.index(env.agent_selection)]
        assert not env.observe(other)["action_mask"].any()


def test_random_rows_are_drawn_alike():
    masks = np.zeros((1200, 8), np.int8)
    masks[:, :5] = 1
    chosen = np.full(len(masks), -1)
    sample_rows(masks, np.arange(1, len(masks) + 1, dtype=np.uint64), chosen)
    counts = np.bincount(chosen)
    assert len(counts) == 5
    assert counts == pytest.approx([240] * 5, abs=60)


def test_versus_games_show_rows_and_ends():
    games = VersusGames(6, "greedy", decisions="turn", observation="candidates", seed=0)
    assert games.observations.shape == (6, 49, COLUMNS)
    wins = []
    for _ in range(200):
        games.step(np.zeros(6, np.int64))  # greedy's choice
        if games.dones.any():
            ends = games.final_observations[games.dones]
            assert not ends[:, :-1].any()
            assert ends[:, -1].any()
            wins += games.final_win_shares[games.dones].tolist()
    assert 0.35 < np.mean(wins) < 0.65


def test_bad_rows_and_sizes_are_refused():
    env = cacao_v0.raw_env(observation="candidates")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="row 48 has no choice, expected a row whose mask is 1"):
        env.step(48)
    batch = VectorGames(2, observation="candidates", seed=0)
    with pytest.raises(ValueError, match="game 1, seat 0: row -1 has no choice"):
        batch.step(np.array([0, -1]))
    batch.step(np.array([0, 0]), look=False)
    assert not batch.action_masks.any()
    with pytest.raises(ValueError, match="row 0 has no choice"):
        batch.step(np.array([0, 0]))
    games = VersusGames(2, observation="candidates", seed=0)
    with pytest.raises(ValueError, match="row 99 has no choice"):
        games.step(np.array([0, 99]))
    lost = VersusGames(2, observation="candidates", seed=0, illegal="lose")
    lost.step(np.array([0, 99]))
    assert lost.forfeits.tolist() == [False, True]
    with pytest.raises(ValueError, match="observation_dtype is 'uint8', expected 'float32'"):
        VersusGames(2, observation="candidates", observation_dtype="uint8")
    for size, words in (((0, 0), "rows is 0"), ((257, 0), "rows is 2"), ((4, 5), "replies is 5")):
        with pytest.raises(ValueError, match=words):
            Candidates(*size)


def test_the_spec_documents_every_column():
    found = data(3)["candidates"]
    low, high = Candidates(2).limits()
    assert found["columns"] == COLUMNS
    for part, number in (("row", 0), ("context", -1)):
        columns = found[part]
        assert [one["column"] for one in columns] == list(range(len(columns)))
        assert len({one["name"] for one in columns}) == len(columns)
        assert all(one["meaning"] for one in columns)
        for one in columns:
            assert high[number, one["column"]] == one["high"]
            assert low[number, one["column"]] == min(0, one["low"])
