"""Removing units of a value network that never fire: it plays as before, in less time.

Most units of the second layer die during training, different ones in each stage of the game.  Games
of self-play show which are alive: every legal action of every decision is followed to the end of its
turn, so positions that the network would never choose count too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cacao_env import Game
from cacao_env.agents.value.features import STAGE, STAGES
from cacao_env.agents.value.net import Net, new_scratch
from cacao_env.agents.value.turns import new_work, value_after
from cacao_env.engine.actions import MAX_LEGAL, legal_into
from cacao_env.engine.jit import njit
from cacao_env.engine.rng import new_rng
from cacao_env.engine.state import OVER, PLACE

LANES = 32  # layers are padded to a multiple: compiled loops over fewer units take as long


@njit
def mark_fired(net, scratch, work, state, ids, fired, rng):
    """Mark in ``fired``, (STAGES, units), what fires after any action; return the best action."""
    seat = np.int64(state.seat)
    count = legal_into(state, ids)
    best, most = ids[0], -1e18
    for i in range(count):
        value = value_after(net, scratch, work, state, ids[i], seat, PLACE, rng)
        if value > most:
            best, most = ids[i], value
        end = work.stack[0]
        if end.phase != OVER:
            stage = STAGE[np.int64(end.tiles_each) - np.int64(end.placed[seat])]
            for unit in range(fired.shape[1]):
                if scratch.middle[unit] > 0:
                    fired[stage, unit] = True
    return best


def units_that_fire(net: Net, rules: dict[str, Any], games: int) -> np.ndarray:
    """Which units fire in so many games for each number of players, (STAGES, units)."""
    fired = np.zeros((STAGES, net.out.shape[1]), np.bool_)
    scratch, work, ids = new_scratch(net), new_work(), np.zeros(MAX_LEGAL, np.int64)
    for players in rules["players"]:
        for seed in range(games):
            rng = new_rng(seed)
            game = Game.new(players, seed, volcanoes=rules["volcanoes"] and seed % 2 == 1)
            while game.seat is not None:
                state = game.determinise(game.seat, rng).state
                game.play(int(mark_fired(net, scratch, work, state, ids, fired, rng)))
    return fired


def pruned(params: dict[str, Any], fired: np.ndarray) -> dict[str, Any]:
    """Keep the weights of those units alone; stages with fewer units than others are padded with 0."""
    units = max(1, int(fired.sum(1).max()))
    units = min(-(-units // LANES) * LANES, fired.shape[1])
    small = dict(params)
    for name in ("middle", "middle_bias", "out"):
        array = params[name]
        shape = list(array.shape)
        shape[1 if name == "out" else -1] = units
        small[name] = np.zeros(shape, np.float32)
        for stage, alive in enumerate(fired):
            kept = np.flatnonzero(alive)
            if name == "out":
                small[name][stage, : len(kept)] = array[stage, kept]
            else:
                small[name][stage, ..., : len(kept)] = array[stage][..., kept]
    return small
