"""The compiled half of ``versus``: deal, seat opponents, play, reward and look in many games."""

from __future__ import annotations

import numpy as np

from ..engine import calls
from ..engine.actions import LEGAL, mask_into, why_illegal
from ..engine.decisions import new_game, step
from ..engine.jit import njit
from ..engine.observation import observe_into
from ..engine.rewards import rewards_into
from ..engine.rng import uniform
from ..engine.scaling import observe_as
from ..engine.state import OVER
from ..engine.tiles import MAX_PLAYERS


@njit
def deal(states, which, learners, fixed, kinds, odds, rngs):
    """Deal the games in ``which``, seat their learners and draw their opponents."""
    for g in range(len(states)):
        if not which[g]:
            continue
        rng = rngs[g : g + 1]
        new_game(states[g], rng)
        if not fixed:
            learners[g] = (learners[g] + 1) % states[g].num_players
        draw = uniform(rng)
        kinds[g] = len(odds) - 1
        for kind in range(len(odds)):
            if draw < odds[kind]:
                kinds[g] = kind
                break
            draw -= odds[kind]


@njit
def mark_illegal(states, chosen, forfeits):
    """Note which actions are illegal; returns the number of the first such game, or -1."""
    first = -1
    for g in range(len(states)):
        forfeits[g] = why_illegal(states[g], chosen[g]) != LEGAL
        if forfeits[g] and first < 0:
            first = g
    return first


@njit
def play(states, chosen, forfeits):
    """The learners' actions, but not in games that are forfeited."""
    for g in range(len(states)):
        if not forfeits[g]:
            step(states[g], chosen[g])


@njit
def next_waiting(states, learners, start):
    """The first game from ``start`` on in which another seat than the learner's decides, or -1."""
    for g in range(start, len(states)):
        if states[g].phase != OVER and states[g].seat != learners[g]:
            return g
    return -1


@njit
def waiting(states, learners, numbers, seen, masks):
    """The games in which another seat than the learner's decides, and what that seat sees and may do.

    Written into the first rows of ``numbers``, ``seen`` and ``masks``; returns how many there are.
    """
    count = 0
    for g in range(len(states)):
        state = states[g]
        if state.phase != OVER and state.seat != learners[g]:
            numbers[count] = g
            observe_into(state, state.seat, seen[count])
            mask_into(state, masks[count])
            count += 1
    return count


@njit
def step_some(states, numbers, chosen):
    """Play the games named; returns the place of the first whose action is illegal, or -1."""
    for i in range(len(numbers)):
        if why_illegal(states[numbers[i]], chosen[i]) != LEGAL:
            return i
        step(states[numbers[i]], chosen[i])
    return -1


@njit
def reward(states, learners, forfeits, mode, potentials, rewards, dones, final, worst):
    """What the learners earned since they last decided, and which games are over.

    One call covers all steps since then: a potential's changes add up to their sum, and the other
    rewards come at the end only.
    """
    scores = np.zeros(MAX_PLAYERS, np.int64)
    wins = np.zeros(MAX_PLAYERS, np.int64)
    each = np.zeros(MAX_PLAYERS)
    for g in range(len(states)):
        state = states[g]
        learner = learners[g]
        before = potentials[g, learner]
        rewards_into(state, mode, potentials[g], scores, wins, each)
        rewards[g] = worst - before if forfeits[g] else each[learner]
        dones[g] = state.phase == OVER or forfeits[g]
        if dones[g]:
            if state.phase != OVER:
                calls.scores(states[g : g + 1], scores)
            best_other = -(10**6)
            for seat in range(state.num_players):
                if seat != learner:
                    best_other = max(best_other, scores[seat])
            final[g, 0], final[g, 1] = scores[learner], best_other
            potentials[g, :] = 0


@njit
def look(states, which, learners, scaled, observations):
    """What each learner sees, of the games in ``which``, or of all if that is empty."""
    for g in range(len(states)):
        if len(which) == 0 or which[g]:
            observe_as(states[g], learners[g], scaled, observations[g])


@njit
def mask(states, learners, masks):
    """What each learner may do: nothing while it is not its turn."""
    for g in range(len(states)):
        if states[g].phase == OVER or states[g].seat != learners[g]:
            masks[g, :] = 0
        else:
            mask_into(states[g], masks[g])
