"""Mutated states: the validator against its slow twin, then the engine on what was accepted."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cacao_env import Game
from cacao_env.agents.greedy import greedy_action
from cacao_env.engine.options import Options
from cacao_env.engine.rng import new_rng
from cacao_env.engine.saving import states_of
from cacao_env.engine.state import STATE, cell_row
from tests.fuzz.attack import Budget, Summary
from tests.fuzz.twin import why_unsound
from tests.games import STYLES, positions

MOST_DECISIONS = 700  # more than any game has
_SIZES = (None, 11, 12, 15, 32)


@cache
def pool(games: int = 60) -> np.ndarray:
    """Positions of games of all kinds: every phase, dealt again for some seats."""
    rng, found = np.random.default_rng(0), []
    for number in range(games):
        options = Options(
            2 + number % 3,
            bool(number // 3 % 2),
            ("auto", "explicit")[number // 6 % 2],
            _SIZES[number % len(_SIZES)],
        )
        style = list(STYLES.values())[number // 2 % len(STYLES)]
        for game in positions(Game.deal(options, number), rng, style):
            if rng.random() < 0.2 or game.over:
                found.append(game.states.copy())
            if rng.random() < 0.1:
                seat = int(rng.integers(game.num_players))
                found.append(game.determinise(seat, new_rng(len(found))).states)
    return np.concatenate(found)


def mutated(states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A copy of a random state with one to three mutations."""
    state = states[rng.integers(len(states))][None].copy()
    before = state.tobytes()
    while state.tobytes() == before:
        for _ in range(1 + int(rng.integers(3)) * (rng.random() < 0.5)):
            _mutate(state, states[rng.integers(len(states))], rng)
    return state


def _mutate(state: np.ndarray, other: Any, rng: np.random.Generator) -> None:
    kind = rng.integers(6)
    data = state.view(np.uint8)
    if kind == 0:
        data[rng.integers(data.size)] ^= 1 << rng.integers(8)
        return
    name = STATE.names[rng.integers(len(STATE.names))]
    if kind == 1:
        state[name][0] = other[name]
        return
    values = state[name].reshape(-1)
    place, one = rng.integers(len(values), size=2)
    info = np.iinfo(values.dtype)
    if kind == 2:
        values[place] = (info.min, info.max, 0, 1, info.max // 2)[rng.integers(5)]
    elif kind == 3:
        values[place] = min(info.max, max(info.min, int(values[place]) + rng.integers(-2, 3)))
    elif kind == 4:
        values[place], values[one] = values[one].copy(), values[place].copy()
    else:
        values[place] = rng.integers(info.min, info.max + 1)


def attack(budget: Budget) -> Summary:
    """Mutate, judge, compare with the twin, and play what was accepted to its end."""
    rng, summary, states = budget.rng(), Summary(), pool()
    stricter = 0
    for number in budget:
        state = mutated(states, rng)
        summary.tried += 1
        try:
            sound = states_of(state.tobytes())
        except ValueError:
            summary.refused += 1
            # Now and then: how often is the twin content with what was refused?
            stricter += number % 100 == 0 and not why_unsound(state[0])
            continue
        summary.accepted += 1
        if wrong := why_unsound(state[0]):
            summary.faults.append(f"try {number}: accepted, but the twin says: {wrong}")
            continue
        if fault := play_on(Game(sound, []), rng):
            summary.faults.append(f"try {number}: {fault}")
    summary.notes.append(f"of a hundredth of the refused, the twin accepts {stricter}")
    return summary


def play_on(game: Game, rng: np.random.Generator) -> str:
    """Play to the end with random legal moves and some of greedy's; says what went wrong, or ""."""
    dice = new_rng(int(rng.integers(2**63)))
    for _ in range(MOST_DECISIONS):
        if game.over:
            return "" if max(game.scores()) < 500 else "a score that no game has"
        for seat in range(game.num_players):
            game.observation(seat)
        legal = game.legal_actions()
        if not len(legal) or game.action_mask().sum() != len(legal):
            return "no legal actions, or others than in the mask"
        if rng.random() < 0.05:
            seen = game.determinise(game.seat or 0, dice)
            action = int(greedy_action(seen.states, dice))
        else:
            action = int(rng.choice(legal))
        game.play(action)
        if not -64 <= int(cell_row(game.state, int(game.state.last))) <= 64:
            return "a cell far from the table"
    return f"no end within {MOST_DECISIONS} decisions"
