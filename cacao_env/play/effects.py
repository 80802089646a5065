"""What a choice will do, said before it is made.

Only what is certain: it stops where a hidden tile would be drawn and where the turn ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import decisions
from ..engine.state import ACT, FILL, OVER
from ..game import Game, try_action

_GOODS = ("gold", "cacao", "sun", "water", "temples")
_WORDS = {
    "gold": "gold",
    "cacao": "cacao",
    "sun": ("sun token", "sun tokens"),
    "water": ("field along the water track", "fields along the water track"),
    "temples": "at temples, as they stand",
}


@dataclass(frozen=True)
class Effect:
    """What an action and all that follows by itself will do.

    ``gains``: by seat, how much of what it gets (negative: loses), only what changes; ``water`` in
    fields, ``temples`` in gold if the game ended then.  ``worth``: by seat, change of the score if the
    game ended then.  ``fills``, ``acts``: cells to fill and edges to decide that are left to whoever is
    next; ``draws``: a hidden tile comes next.  ``ends``: the turn is over.
    """

    gains: dict[int, dict[str, int]]
    worth: dict[int, int]
    fills: int
    acts: int
    draws: bool
    ends: bool


def effect_of(game: Game, action: int) -> Effect:
    """The effect of a legal action; the game stays as it is."""
    one = game.clone()
    state = one.state
    before, scores = _goods(state), one.scores()
    state.auto = 0
    turn, drawn = int(state.turn), int(state.jungle_drawn)
    code = try_action(one.states, action)
    if code:
        raise ValueError(game.why_illegal(action, code))
    while game.decisions == "auto" and _is_same_turn(state, turn, drawn):
        follows = int(decisions.forced_action(state))
        if follows == decisions.NONE:
            break
        try_action(one.states, follows)
    changes = _goods(state) - before
    after = one.scores()
    ends = bool(state.phase == OVER or state.turn != turn)
    return Effect(
        {
            seat: {good: int(n) for good, n in zip(_GOODS, row) if n}
            for seat, row in enumerate(changes.tolist())
            if any(row)
        },
        {s: a - b for s, (a, b) in enumerate(zip(after, scores)) if a != b},
        0 if ends or state.phase != FILL else int(state.to_fill).bit_count(),
        0 if ends or state.phase != ACT else _edges(state),
        not ends and int(state.jungle_drawn) != drawn,
        ends,
    )


def words(effect: Effect, seat: int, names: list[str]) -> str:
    """An effect in words; ``seat`` decides, ``names`` are those of the seats."""
    parts = []
    for who in sorted(effect.gains, key=lambda other: other != seat):
        got = [_amount(good, n) for good, n in effect.gains[who].items()]
        parts.append(f"{'you' if who == seat else names[who]}: {', '.join(got)}")
    if effect.draws:
        parts.append("then a tile is drawn for the next cell")
    elif effect.fills:
        parts.append(f"then {_count(effect.fills, 'jungle cell')} to fill")
    elif effect.acts:
        parts.append(f"then {_count(effect.acts, 'edge')} to act")
    if not parts:
        return "nothing now"
    return "; ".join(parts)


def _is_same_turn(state: Any, turn: int, drawn: int) -> bool:
    return bool(state.phase != OVER and state.turn == turn and state.jungle_drawn == drawn)


def _goods(state: Any) -> np.ndarray:
    """Of every seat, in the order of ``_GOODS``: (num_players, 5)."""
    return np.array(
        [[int(state[good][seat]) for good in _GOODS] for seat in range(int(state.num_players))]
    )


def _edges(state: Any) -> int:
    return sum(int(edges).bit_count() for edges in state.pending)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}"


def _amount(good: str, number: int) -> str:
    word = _WORDS[good]
    if not isinstance(word, str):
        word = word[abs(number) > 1]
    return f"{'+' if number > 0 else '−'}{abs(number)} {word}"
