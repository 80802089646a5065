"""What single decisions lose, in gold: by exact ends, and by playouts before that.

Gold is the margin: own score less the mean of the others'.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from cacao_env import Game
from cacao_env.agents.endgame import NOT_SOLVED, end_values, is_near_end
from cacao_env.agents.mc import candidates_into, run_passes
from cacao_env.agents.playout import RELATIVE_SCORE
from cacao_env.engine.actions import MAX_LEGAL
from cacao_env.engine.rng import new_rng

NODES = 2_000_000  # positions looked at before a decision counts as not solved: some seconds


@dataclass(frozen=True)
class Loss:
    """What one decision lost."""

    ply: int
    placement: bool
    gold: float


@dataclass(frozen=True)
class Ruler:
    """How losses are measured."""

    last: int = 2  # decisions with at most so many placements left in the game are solved
    rollouts: int = 256  # playouts a candidate for each earlier decision looked at; 0 for none
    sample: int = 4  # earlier decisions looked at in a game
    top: int = 16  # candidates, the best by greedy

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("last", self.last, 1, 4),
            ("sample", self.sample, 1, 100),
            ("top", self.top, 2, 256),
        ):
            if not low <= value <= high:
                raise ValueError(f"--{name} is {value}, expected {low} to {high}")
        if self.rollouts != 0 and not 2 <= self.rollouts <= 1_000_000:
            raise ValueError(f"--rollouts is {self.rollouts}, expected 0, or 2 to 1000000")


@dataclass(frozen=True)
class GameLosses:
    """What the decisions of one game lost, all seats together."""

    block: int
    exact: list[Loss]
    rollouts: list[Loss]
    unsolved: int  # decisions near the end on which the solver gave up


def exact_loss(game: Game, action: int) -> float | None:
    """The best expected margin of who decides less that of an action; None if not solved.

    All others' hands are known by then, and the draws are weighed by their odds: no more is used
    than the seat may know.
    """
    ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
    count = int(end_values(game.states, RELATIVE_SCORE, NODES, True, ids, values))
    if count == NOT_SOLVED:
        return None
    chosen = values[:count][ids[:count] == action][0]
    return float(values[:count].max() - chosen)


def rollout_loss(game: Game, action: int, rollouts: int, top: int, seed: int) -> float:
    """What an action loses against the best of greedy's ``top``, by greedy playouts.

    The best is the one that leads after half of the playouts; it and the action are compared over
    the other half.  Had the same playouts done both, the one that was lucky would have been chosen
    and its luck counted as a loss.  So the mean is right for the rival chosen, and if another was
    better still it is too low; a single decision's may be below 0.  An action that leads itself
    loses nothing.
    """
    ids, sums = np.zeros(top + 1, np.int64), np.zeros(top + 1)
    count = int(candidates_into(game.states, top, ids))
    if action not in ids[:count]:
        ids[count] = action
        count += 1
    rng = new_rng(seed)
    half = rollouts // 2
    run_passes(game.states, ids, count, sums, half, rng, RELATIVE_SCORE)
    best = int(ids[int(sums[:count].argmax())])
    if best == action:
        return 0.0
    both, margins = np.array([best, action]), np.zeros(2)
    run_passes(game.states, both, 2, margins, rollouts - half, rng, RELATIVE_SCORE)
    return float(margins[0] - margins[1]) / (rollouts - half)


def losses(game: Game, block: int, ruler: Ruler, seed: int) -> GameLosses:
    """What the decisions of a finished game lost; what is asked always has a choice.

    Those near the end are solved; of the others a few are drawn with equal odds.
    """
    exact, earlier, unsolved = [], [], 0
    for ply, (then, action) in enumerate(_decisions(game)):
        if is_near_end(then.state, ruler.last):
            gold = exact_loss(then, action)
            if gold is None:
                unsolved += 1
            else:
                exact.append(Loss(ply, then.phase == "place", gold))
        else:
            earlier.append((ply, then, action))
    rollouts = []
    if ruler.rollouts and earlier:
        rng = np.random.default_rng(_seed(seed, block, 0))
        count = min(ruler.sample, len(earlier))
        for place in sorted(rng.choice(len(earlier), count, replace=False)):
            ply, then, action = earlier[place]
            bits = _seed(seed, block, 1 + ply)
            gold = rollout_loss(then, action, ruler.rollouts, ruler.top, bits)
            rollouts.append(Loss(ply, then.phase == "place", gold))
    return GameLosses(block, exact, rollouts, unsolved)


def _decisions(game: Game) -> list[tuple[Game, int]]:
    """Every position of a finished game in which an action was chosen, and that action."""
    worker_draws, jungle_draws = game.draws
    again = Game.from_draws(
        worker_draws, jungle_draws, volcanoes=game.volcanoes, decisions=game.decisions
    )
    found = []
    for action in game.history:
        found.append((again.clone(), action))
        again.play(action)
    return found


def _seed(seed: int, block: int, what: int) -> int:
    """Random numbers of its own for each thing drawn, whoever plays and whatever was drawn before."""
    text = f"regret {seed} {block} {what}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1
