"""What holds at every decision of every game, found out by brute force from the outside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cacao_env import Game
from cacao_env.engine.actions import LEGAL, MAX_LEGAL, sample, why_illegal
from cacao_env.engine.geometry import NEIGHBOR
from cacao_env.engine.jit import njit
from cacao_env.engine.rng import new_rng
from cacao_env.engine.state import OVERBUILT, OWNER
from cacao_env.engine.tiles import (
    JUNGLE_KINDS,
    VARIANT_KIND,
    VOLCANO,
    VOLCANO_TURNED,
    jungle_supply,
    worker_supply,
)
from tests.games import STYLES, positions


def tile_pile(state, seat):
    """The kinds in a seat's pile, in drawing order."""
    return state.worker_draws[seat, int(state.drawn[seat]) : int(state.tiles_each)]


kinds_of_game = {
    "players": st.integers(2, 4),
    "volcanoes": st.booleans(),
    "decisions": st.sampled_from(["auto", "explicit"]),
    "style": st.sampled_from(sorted(STYLES)),
    "table_size": st.sampled_from([11, 12, 15, 16, None]),
    "seed": st.integers(0, 2**64 - 1),
}


@njit
def _ask_for_every_action(states, out):
    for action in range(len(out)):
        out[action] = why_illegal(states[0], action) == LEGAL


@given(**kinds_of_game)
def test_mask_list_refusal_and_execution_agree_on_every_action(
    players, volcanoes, decisions, style, table_size, seed
):
    rng = np.random.default_rng(seed)
    game = Game.new(players, seed, volcanoes=volcanoes, decisions=decisions, table_size=table_size)
    for _ in positions(game, rng, STYLES[style]):
        mask = game.action_mask()
        assert mask.dtype == np.int8
        assert set(np.unique(mask)) <= {0, 1}
        legal = game.legal_actions()
        np.testing.assert_array_equal(np.flatnonzero(mask), legal)
        assert len(legal) <= MAX_LEGAL
        assert (len(legal) == 0) == game.over
        brute = np.zeros_like(mask)
        _ask_for_every_action(game.states, brute)
        np.testing.assert_array_equal(brute, mask)
        for action in rng.permutation(legal)[:5]:
            after = game.clone()
            after.play(action)
            assert after.ply == game.ply + 1
        # Ids and moves are one to one.
        moves = game.legal_moves()
        assert len(set(moves)) == len(moves)
        for action in rng.permutation(len(legal))[:5]:
            assert game.action(moves[action]) == legal[action]
            assert game.action(game.text(int(legal[action]))) == legal[action]


@given(**kinds_of_game)
def test_an_illegal_action_changes_nothing(players, volcanoes, decisions, style, table_size, seed):
    rng = np.random.default_rng(seed)
    game = Game.new(players, seed, volcanoes=volcanoes, decisions=decisions, table_size=table_size)
    for _ in positions(game, rng, STYLES[style]):
        mask = game.action_mask()
        before = game.clone()
        for action in (-1, game.num_actions, int(rng.choice(np.flatnonzero(mask == 0)))):
            with pytest.raises(ValueError, match=f"illegal action {action}"):
                game.play(action)
            assert game == before


@given(**kinds_of_game)
def test_tiles_cacao_tokens_and_gold_are_conserved(
    players, volcanoes, decisions, style, table_size, seed
):
    rng = np.random.default_rng(seed)
    game = Game.new(players, seed, volcanoes=volcanoes, decisions=decisions, table_size=table_size)
    gold_before = [0] * players
    for _ in positions(game, rng, STYLES[style]):
        state = game.state
        cells = state.worker_cells[: int(state.worker_count)].tolist()
        assert len(set(cells)) == len(cells)
        for seat in range(players):
            supply = np.array(worker_supply(players))
            lying = np.zeros(4, int)
            for i, cell in enumerate(cells):
                code = int(state.board[cell])
                if OWNER[code] == seat:
                    lying[VARIANT_KIND[(code % OVERBUILT - 1) % 13]] += 1
                    if state.under[i]:
                        lying[VARIANT_KIND[int(state.under[i]) - 1]] += 1
            counted = lying + state.hand[seat] + np.bincount(tile_pile(state, seat), minlength=4)
            np.testing.assert_array_equal(counted, supply)
        jungle = np.zeros(len(JUNGLE_KINDS), int)
        on_table = [int(state.board[c]) for c in state.jungle_cells[: int(state.jungle_count)]]
        pile = state.jungle_draws[int(state.jungle_drawn) : int(state.num_jungle)].tolist()
        for code in on_table + [int(c) for c in state.display if c] + pile:
            jungle[(VOLCANO if code == VOLCANO_TURNED else code) - 1] += 1
        supply = np.array(jungle_supply(players, volcanoes))
        supply[[0, 2]] += 1  # the start tiles
        np.testing.assert_array_equal(jungle, supply)
        assert (state.cacao[:players] >= 0).all()
        assert (state.cacao[:players] <= 5).all()
        assert (state.sun[:players] >= 0).all()
        assert (state.sun[:players] <= 3).all()
        assert (state.water[:players] >= 0).all()
        assert (state.water[:players] <= 8).all()
        gold = state.gold[:players].tolist()
        assert min(gold) >= 0
        if not volcanoes:
            assert all(now >= then for now, then in zip(gold, gold_before))
        gold_before = gold
        assert (state.gold[players:] == 0).all()
        assert (state.hand[players:] == 0).all()
        # The lists and the board say the same.
        opened = state.open_cells[: int(state.open_count)].tolist()
        assert [int(state.board[cell]) for cell in opened] == [-1 - i for i in range(len(opened))]
        below_zero = set(np.flatnonzero(state.board < 0).tolist())
        empty = below_zero - set(opened)
        near = np.isin(NEIGHBOR, cells).sum(axis=1)
        even = np.add.outer(np.arange(32), np.arange(32)).ravel() % 2 == 0
        assert empty == set(np.flatnonzero(even & (near > 0) & (state.board <= 0)).tolist())
        assert all(near[cell] == -state.board[cell] for cell in empty)
        for seat in range(players):
            np.testing.assert_array_equal(
                state.unplaced[seat],
                state.hand[seat] + np.bincount(tile_pile(state, seat), minlength=4),
            )
        in_pile = state.jungle_draws[int(state.jungle_drawn) : int(state.num_jungle)]
        np.testing.assert_array_equal(state.jungle_pile, np.bincount(in_pile, minlength=12))
        assert set(cells) | set(state.jungle_cells[: int(state.jungle_count)].tolist()) == set(
            np.flatnonzero(state.board > 0).tolist()
        )


def test_sampling_is_uniform_over_the_legal_actions():
    rng = new_rng(0)
    for seed, plies in ((0, 0), (1, 9), (2, 40), (3, 47)):
        game = Game.new(2, seed, volcanoes=True, decisions="explicit")
        for _ in range(plies):
            game.play(int(sample(game.state, rng)))
        legal = game.legal_actions()
        draws = 300 * len(legal)
        counts = np.zeros(game.num_actions, int)
        for _ in range(draws):
            counts[int(sample(game.state, rng))] += 1
        assert counts.sum() == counts[legal].sum()
        expected = draws / len(legal)
        chi2 = ((counts[legal] - expected) ** 2 / expected).sum()
        freedom = len(legal) - 1
        assert chi2 < freedom + 5 * (2 * freedom) ** 0.5 + 10, (seed, chi2, freedom)
