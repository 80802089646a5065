"""Games for value learning, played and turned into samples in one compiled loop.

A sample is a position at the start of a turn, seen by one seat, with two targets: every seat's share
of the win and the points it still adds.  Targets are lambda-returns (Sutton, 1988) along one seat's
view of its game: the result, mixed with what the network expected at the turns in between.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cacao_env.agents.value.features import NO_ROW, NUM_NUMBERS, features_into
from cacao_env.agents.value.net import POINTS, Net, Scratch, expect
from cacao_env.agents.value.turns import Work, value_actions
from cacao_env.engine.actions import MAX_LEGAL
from cacao_env.engine.decisions import MAX_DECISIONS
from cacao_env.engine.jit import njit
from cacao_env.engine.rng import below, uniform
from cacao_env.engine.scoring import score, scores_into, win_shares_into
from cacao_env.engine.state import FILL, OVER, STATE, StateArray, deal, redeal
from cacao_env.engine.tiles import MAX_PLAYERS, MAX_TURNS
from cacao_env.engine.types import f4x2, f8x2, i1x2, i8, i8x1, i8x2, u1x1, u2x2, u8x1
from cacao_env.greedy.choices import GREEDY_WEIGHTS, score_actions
from cacao_env.greedy.turn import step_turn

KEPT_ROWS = 160  # of a sample; no position of a real game has more


class Samples(NamedTuple):
    """Arrays of one row a sample; seats in turn order from the viewer."""

    numbers: f4x2  # (S, NUM_NUMBERS) float32
    rows: u2x2  # (S, KEPT_ROWS) uint16
    patterns: u1x1  # (S,) uint8, how many of the rows are patterns
    open_cells: u1x1  # (S,) uint8, how many of those are of open cells
    stage: u1x1  # (S,) uint8
    players: u1x1  # (S,) uint8
    win_shares: f4x2  # (S, MAX_PLAYERS) float32
    points: f4x2  # (S, MAX_PLAYERS) float32, still to come, in units of POINTS


class Played(NamedTuple):
    """Arrays of one row a game: what determines it, and its result."""

    seeds: u8x1  # (G,) uint64, of ``Game.new``
    actions: u2x2  # (G, MAX_DECISIONS) uint16
    plies: i8x1  # (G,) int64, how many of the actions there are
    scores: i8x2  # (G, MAX_PLAYERS) int64
    cacao: i1x2  # (G, MAX_PLAYERS) int8
    win_shares: f8x2  # (G, MAX_PLAYERS) float64


def new_played(seeds: Any) -> Played:
    """Allocate a game for each seed."""
    count = len(seeds)
    return Played(
        seeds.copy(),
        np.zeros((count, MAX_DECISIONS), np.uint16),
        np.zeros(count, np.int64),
        np.zeros((count, MAX_PLAYERS), np.int64),
        np.zeros((count, MAX_PLAYERS), np.int8),
        np.zeros((count, MAX_PLAYERS)),
    )


def new_samples(count: int) -> Samples:
    """Allocate ``count`` samples."""
    return Samples(
        np.zeros((count, NUM_NUMBERS), np.float32),
        np.full((count, KEPT_ROWS), NO_ROW, np.uint16),
        np.zeros(count, np.uint8),
        np.zeros(count, np.uint8),
        np.zeros(count, np.uint8),
        np.zeros(count, np.uint8),
        np.zeros((count, MAX_PLAYERS), np.float32),
        np.zeros((count, MAX_PLAYERS), np.float32),
    )


class Behaviour(NamedTuple):
    """How the games are played."""

    greedy: float = 0.0  # fraction of games in which greedy plays all seats
    noise: float = 0.0  # scale of Gumbel noise on utilities
    greedy_noise: float = 0.0  # the same for greedy, in gold
    random: float = 0.0  # fraction of random decisions
    top: int = 24  # placements that the network evaluates, the best by greedy
    td_lambda: float = 1.0  # a turn
    kept: float = 1.0  # fraction of turns whose last mover's view becomes a sample
    others: float = 0.0  # the same of other seats' views


@njit
def gumbel(rng):
    """Standard Gumbel noise: the largest of values with it is drawn from their softmax."""
    return -math.log(-math.log(uniform(rng) + 1e-300) + 1e-300)


@njit
def _choose(net, scratch, work, view, behaviour, by_greedy, ids, values, rng):
    """An action for the deciding seat of a state whose hidden information is dealt again.

    Returns (action, whether it is random).
    """
    if by_greedy:
        choices = work.choices[0]
        score_actions(choices, view, GREEDY_WEIGHTS)
        count = np.int64(choices.count)
        ids[:count] = choices.ids[:count]
        values[:count] = choices.values[:count]
        noise = behaviour.greedy_noise
    else:
        count = value_actions(
            net, scratch, work, view, np.int64(behaviour.top), FILL, ids, values, rng
        )
        noise = behaviour.noise
    if uniform(rng) < behaviour.random:
        return ids[below(rng, count)], count > 1
    best, most = 0, -1e18
    for i in range(count):
        value = values[i] + noise * gumbel(rng)
        if value > most:
            best, most = i, value
    return ids[best], False


@njit
def play_sample_games(
    net: Net,
    scratch: Scratch,
    work: Work,
    options: StateArray,
    behaviour: Behaviour,
    played: Played,
    samples: Samples,
) -> i8:
    """Play one game for each seed with the options of ``options[0]``; write samples.

    Returns how many samples there are.  It stops early when another game might not fit.
    """
    room, written = MAX_TURNS * MAX_PLAYERS, 0
    state = np.empty(2, STATE)
    ids = np.empty(MAX_LEGAL, np.int64)
    values = np.zeros(MAX_LEGAL)
    # The sample of a turn's end and seat, or -1.
    place = np.empty((MAX_TURNS + 1, MAX_PLAYERS), np.int64)
    now = np.empty((MAX_TURNS + 1, MAX_PLAYERS))  # scores at a turn's end
    win_shares = np.empty((MAX_TURNS + 1, MAX_PLAYERS, MAX_PLAYERS))  # expected, by viewer
    points = np.empty((MAX_TURNS + 1, MAX_PLAYERS, MAX_PLAYERS))
    strayed = np.zeros(MAX_TURNS + 1, np.bool_)  # whether a turn had a random move
    seeds = played.seeds.copy()
    total_shares = np.empty(MAX_PLAYERS)
    total_points = np.empty(MAX_PLAYERS)
    for g in range(len(seeds)):
        if written + room > len(samples.stage):
            break
        rng = seeds[g : g + 1]
        state[0] = options[0]
        game, view = state[0], state[1]
        deal(game, rng)
        players = np.int64(game.num_players)
        by_greedy = uniform(rng) < behaviour.greedy
        turns = 0
        strayed[:] = False
        while game.phase != OVER:
            mover = np.int64(game.active)
            turn = game.turn
            seat = game.seat
            state[1] = game
            redeal(view, seat, rng)
            action, is_random = _choose(
                net, scratch, work, view, behaviour, by_greedy, ids, values, rng
            )
            strayed[turns] |= is_random
            played.actions[g, played.plies[g]] = action
            played.plies[g] += 1
            step_turn(game, action)
            if game.turn == turn or game.phase == OVER:
                continue
            for viewer in range(players):
                now[turns, viewer] = score(game, viewer)
                place[turns, viewer] = -1
                if behaviour.td_lambda < 1:
                    expect(net, scratch, game, viewer)
                    win_shares[turns, viewer] = scratch.win_shares
                    points[turns, viewer] = scratch.scores
                if uniform(rng) < (behaviour.kept if viewer == mover else behaviour.others):
                    _keep(net, game, viewer, scratch, samples, written)
                    place[turns, viewer] = written
                    written += 1
            turns += 1
        scores, result = played.scores[g], played.win_shares[g]
        scores_into(game, scores)
        win_shares_into(game, scores, result)
        played.cacao[g] = game.cacao
        for viewer in range(players):
            for seat in range(players):
                total_shares[seat] = result[seat]
                total_points[seat] = scores[seat]
            for t in range(turns - 1, -1, -1):
                # What follows a random move says nothing of the position before it.
                if behaviour.td_lambda < 1 and strayed[t + 1] and not by_greedy:
                    for seat in range(players):
                        total_shares[seat] = win_shares[t, viewer, seat]
                        total_points[seat] = points[t, viewer, seat]
                if place[t, viewer] >= 0:
                    for i in range(players):
                        seat = (viewer + i) % players
                        samples.win_shares[place[t, viewer], i] = total_shares[seat]
                        added = total_points[seat] - now[t, seat]
                        samples.points[place[t, viewer], i] = added / POINTS
                if behaviour.td_lambda < 1:
                    for seat in range(players):
                        total_shares[seat] *= behaviour.td_lambda
                        total_shares[seat] += (1 - behaviour.td_lambda) * win_shares[
                            t, viewer, seat
                        ]
                        total_points[seat] *= behaviour.td_lambda
                        total_points[seat] += (1 - behaviour.td_lambda) * points[t, viewer, seat]
    return written


@njit
def _keep(net, game, viewer, scratch, samples, i):
    """Write the features of a sample."""
    _, patterns, open_cells = features_into(
        game, viewer, net.prospects, scratch.room, scratch.numbers, scratch.rows
    )
    samples.numbers[i] = scratch.numbers
    samples.rows[i] = scratch.rows[:KEPT_ROWS]
    samples.open_cells[i] = open_cells
    samples.patterns[i] = patterns
    samples.stage[i] = net.stage[np.int64(game.tiles_each) - np.int64(game.placed[viewer])]
    samples.players[i] = game.num_players
    samples.win_shares[i] = 0
    samples.points[i] = 0
