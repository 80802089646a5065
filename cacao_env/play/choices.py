"""The choices of a decision for people: which tile, where, which way, and the effect of each.

An effect has only what is certain: it stops where a hidden tile is drawn and where the turn ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import decisions
from ..engine.state import ACT, EXPLICIT, FILL
from ..game import Game
from .words import in_words, parts_of

Choice = dict[str, Any]
_GOODS = ("gold", "cacao", "sun", "water", "temples")
_WORDS = {
    "gold": "gold",
    "cacao": "cacao",
    "sun": ("sun token", "sun tokens"),
    "water": ("field along the water track", "fields along the water track"),
    "temples": "at temples, as they stand",
}


def choices_of(game: Game, names: list[str]) -> list[Choice]:
    """Return every legal action as plain data; ``names`` are those of the seats.

    Keys: ``action`` (id), ``kind`` (``place, overbuild, fill, act``), ``cell`` (where a tile goes, or
    the jungle tile that acts), ``words``, ``effect`` (in words), ``worth`` (change
    of the own score if the game ended then); ``tile, turn`` and for a worker tile ``edges``; for an
    act ``worker`` (cell of the worker tile), ``edge``, ``workers``.
    """
    seat = game.seat
    if seat is None:
        return []
    actions = game.legal_actions().tolist()
    found = []
    for action, move in zip(actions, game.legal_moves(), strict=True):
        effect = effect_of(game, action)
        choice = {"action": action, "kind": move[0], **parts_of(move)}
        choice["words"] = in_words(game, move)
        choice["effect"] = effect_words(effect, seat, names)
        choice["worth"] = effect.worth.get(seat, 0)
        found.append(choice)
    return found


@dataclass(frozen=True)
class Effect:
    """The certain effect of an action and of the forced moves that follow it.

    ``gains``: by seat, the goods that change and by how much; ``water`` in fields, ``temples`` in gold
    if the game ended then.  ``worth``: by seat, the change of the score if the game ended then.
    ``fills``, ``acts``: cells to fill and edges to decide next.  ``draws``: a hidden tile comes next.
    ``ends``: the turn is over.
    """

    gains: dict[int, dict[str, int]]
    worth: dict[int, int]
    fills: int
    acts: int
    draws: bool
    ends: bool


def effect_of(game: Game, action: int) -> Effect:
    """Return the effect of a legal action; ValueError for an illegal one.  The game is unchanged."""
    one = game.clone()
    state = one.state
    before, scores = _goods(state), one.scores()
    state.decisions = EXPLICIT
    now = game.turn, int(state.jungle_drawn)
    one.play(action)
    while game.decisions == "auto" and not one.over and (one.turn, state.jungle_drawn) == now:
        follows = int(decisions.forced_action(state))
        if follows == decisions.NONE:
            break
        one.play(follows)
    changes = _goods(state) - before
    after = one.scores()
    ends = one.over or one.turn != now[0]
    return Effect(
        {
            seat: {good: int(n) for good, n in zip(_GOODS, row) if n}
            for seat, row in enumerate(changes.tolist())
            if any(row)
        },
        {s: a - b for s, (a, b) in enumerate(zip(after, scores)) if a != b},
        0 if ends or state.phase != FILL else int(state.to_fill).bit_count(),
        0 if ends or state.phase != ACT else sum(int(edges).bit_count() for edges in state.pending),
        not ends and int(state.jungle_drawn) != now[1],
        ends,
    )


def effect_words(effect: Effect, seat: int, names: list[str]) -> str:
    """Return an effect in words; ``seat`` decides, ``names`` are those of the seats."""
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


def _goods(state: Any) -> np.ndarray:
    """Of every seat, in the order of ``_GOODS``: (num_players, 5)."""
    return np.array([state[good][: state.num_players] for good in _GOODS], np.int64).T


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}"


def _amount(good: str, number: int) -> str:
    word = _WORDS[good]
    if not isinstance(word, str):
        word = word[abs(number) > 1]
    return f"{'+' if number > 0 else '−'}{abs(number)} {word}"
