"""Review a finished game: win probabilities, the gold that each decision lost, and luck.

Three judges, each for what it does best: a value network estimates win shares, greedy playouts compare
decisions in gold, and the last placements are solved exactly.  All of them know only what the deciding
seat may know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents.agent import Agent, AgentError
from ..agents.bots import Bot
from ..agents.endgame import NODES_TO_JUDGE, NOT_SOLVED, end_values, is_near_end
from ..agents.mc import candidates_into, run_passes
from ..agents.playout import RELATIVE_SCORE
from ..agents.registry import installed_agents, load_agent
from ..agents.value.agent import ValueAgent
from ..engine.actions import MAX_LEGAL
from ..engine.rng import new_rng
from ..evaluation.luck import WIN_SHARES, luck_of
from ..game import Game
from .choices import in_words, parts_of
from .history import History, with_auto_decisions

INACCURACY, BLUNDER = 1.0, 3.0  # gold lost
LAST = 2  # placements left from which on decisions are solved
TOP = 16  # candidates, the best by greedy
TRIALS, GROUPS, PASSES = 96, 16, 8  # playouts that find the best; groups of passes that compare
T_GROUPS = 2.131  # of Student's distribution: 95 % of GROUPS - 1 degrees of freedom
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """One decision: what was played, the best found, and the difference.

    ``gold`` is what it lost against ``best``, with an interval from ``low`` to ``high`` (equal where
    the end is solved); ``gain`` what it is above the mean of the moves compared; ``shares`` every
    seat's win share before it.  ``ply`` is its frame.
    """

    ply: int
    seat: int
    move: str
    best: str
    best_parts: dict[str, Any]
    gold: float
    low: float
    high: float
    exact: bool
    gain: float
    grade: str
    shares: list[float]


@dataclass(frozen=True)
class SeatSummary:
    """How a seat played: decisions by their place in the list; luck of the draw in win shares."""

    decisions: int
    mean_loss: float
    total_loss: float
    inaccuracies: int
    blunders: int
    best: int | None
    worst: int | None
    luck: float


@dataclass(frozen=True)
class Review:
    """A reviewed game, as plain data by ``as_dict``."""

    judge: str
    decisions: list[Judged]
    seats: list[SeatSummary]
    result: list[float]  # win shares
    thresholds: dict[str, float] = field(
        default_factory=lambda: {"inaccuracy": INACCURACY, "blunder": BLUNDER}
    )

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, rounded, as the page and ``--json`` take it."""
        data: dict[str, Any] = _rounded(asdict(self))
        return data


def review(
    history: History, progress: Callable[[int, int], None] = lambda done, total: None
) -> Review:
    """Review the finished game of a history; ``progress(done, total)`` counts decisions."""
    if not history.game.over:
        raise ValueError("only a finished game can be reviewed")
    judge = _judge(history.game)
    todo = list(_decisions(history))
    found = []
    for done, (ply, game, action) in enumerate(todo):
        progress(done, len(todo))
        found.append(_judged(judge, ply, game, action))
    progress(len(todo), len(todo))
    luck = luck_of(history.game)[WIN_SHARES].tolist()
    seats = [_summary(seat, found, luck[seat]) for seat in range(history.game.num_players)]
    return Review(judge.name, found, seats, history.game.win_shares())


# --- Judges ---------------------------------------------------------------------------------------


def _judge(game: Game) -> Agent:
    """The best installed value network for such a game, or greedy's playouts."""
    for name, _ in installed_agents():
        try:
            agent = load_agent(name.partition("+")[0])
        except (AgentError, OSError):
            continue
        if isinstance(agent, ValueAgent) and agent.supports(game.options):
            return agent
    return Bot("greedy")


def _decisions(history: History) -> Iterator[tuple[int, Game, int]]:
    """Yield (frame, game, action) of every decision with more than one legal move."""
    game = history.game_at(0)
    for ply, action in enumerate(history.game.history):
        asked = with_auto_decisions(game)
        if asked.options.decisions == "auto" and len(asked.legal_actions()) > 1:
            yield ply, asked, action
        game.play(action)


def _judged(judge: Agent, ply: int, game: Game, action: int) -> Judged:
    shares, favourite = _win_shares(judge, game, action, ply)
    solved = _solved(game, action) if is_near_end(game.state, LAST) else None
    best, gold, error, gain = solved or _played_out(game, action, favourite, ply)
    low, high = gold - error, gold + error
    gold = max(0.0, gold)
    return Judged(
        ply,
        game.seat or 0,
        in_words(game, game.move(action)),
        in_words(game, game.move(best)),
        parts_of(game.move(best)) | {"kind": game.move(best)[0]},
        gold,
        max(0.0, low),
        max(0.0, high),
        solved is not None,
        gain,
        _grade(gold, low),
        shares,
    )


def _grade(gold: float, low: float) -> str:
    """A loss counts only as far as it is certain: half of it at the least."""
    if gold >= BLUNDER and low >= BLUNDER / 2:
        return "blunder"
    return "inaccuracy" if gold >= INACCURACY and low >= INACCURACY / 2 else ""


def _win_shares(judge: Agent, game: Game, action: int, ply: int) -> tuple[list[float], int]:
    """Every seat's win share before an action, and the judge's favourite action."""
    analysis = judge.analyze(game, judge.begin(ply))
    best = int(analysis.actions[0]) if len(analysis.actions) else action
    assert analysis.win_shares is not None
    return [float(share) for share in analysis.win_shares], best


def _solved(game: Game, action: int) -> tuple[int, float, float, float] | None:
    """(best action, gold lost, 0, gold above the mean) by the exact solution; None if it gave up."""
    ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
    count = int(end_values(game.states, RELATIVE_SCORE, NODES_TO_JUDGE, True, ids, values))
    if count == NOT_SOLVED:
        return None
    ids, values = ids[:count], values[:count]
    own = float(values[ids == action][0])
    best = int(values.argmax())
    chosen = action if own >= values[best] else int(ids[best])
    return chosen, float(values[best]) - own, 0.0, own - float(values.mean())


def _played_out(
    game: Game, action: int, favourite: int, seed: int
) -> tuple[int, float, float, float]:
    """(best action, gold lost, half of its interval, gold above the mean) by greedy playouts.

    Some playouts find the best; others compare it with the action, so that choosing it does not make
    the loss larger.
    """
    ids = np.empty(TOP + 2, np.int64)
    count = int(candidates_into(game.states, TOP, ids))
    for other in (action, favourite):
        if other not in ids[:count]:
            ids[count] = other
            count += 1
    sums, rng = np.zeros(count), new_rng(seed)
    run_passes(game.states, ids, count, sums, TRIALS, rng, RELATIVE_SCORE)
    means = sums / TRIALS
    own = float(means[ids[:count] == action][0])
    best = int(ids[int(means.argmax())])
    gain = own - float(means.mean())
    if best == action:
        return action, 0.0, 0.0, gain
    both, gold = np.array([best, action]), np.zeros((GROUPS, 2))
    for group in gold:
        run_passes(game.states, both, 2, group, PASSES, rng, RELATIVE_SCORE)
    lost = (gold[:, 0] - gold[:, 1]) / PASSES
    error = T_GROUPS * float(lost.std(ddof=1)) / GROUPS**0.5
    return (best if lost.mean() > 0 else action), float(lost.mean()), error, gain


# --- Figures --------------------------------------------------------------------------------------


def _summary(seat: int, decisions: list[Judged], luck: float) -> SeatSummary:
    own = [(number, one) for number, one in enumerate(decisions) if one.seat == seat]
    losses = [one.gold for _, one in own]
    grades = [one.grade for _, one in own]
    worst = max(own, key=lambda pair: pair[1].gold, default=None)
    found = [pair for pair in own if not pair[1].grade and pair[1].gold < INACCURACY]
    best = max(found, key=lambda pair: pair[1].gain, default=None)
    return SeatSummary(
        len(own),
        sum(losses) / max(1, len(losses)),
        sum(losses),
        grades.count("inaccuracy"),
        grades.count("blunder"),
        best[0] if best else None,
        worst[0] if worst and worst[1].gold > 0 else None,
        luck,
    )


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return value


def in_lines(found: dict[str, Any], names: list[str]) -> str:
    """Return a review's data as text: a summary a seat, then every inaccuracy and blunder."""
    lines = [f"judged by {found['judge']}, playouts and the exact end; losses in gold"]
    decisions = found["decisions"]
    for seat, (name, row) in enumerate(zip(names, found["seats"], strict=True)):
        lines.append(
            f"{name}: {row['decisions']} decisions, {row['mean_loss']:.2f} lost a decision, "
            f"{row['total_loss']:.1f} in all; {row['inaccuracies']} inaccuracies, "
            f"{row['blunders']} blunders; luck {row['luck']:+.0%} of a win; "
            f"result {found['result'][seat]:.0%}"
        )
        for what in ("best", "worst"):
            if row[what] is not None:
                one = decisions[row[what]]
                lines.append(f"  {what} move: {one['ply'] + 1} {one['move']} (−{one['gold']:.1f})")
    for one in decisions:
        if one["grade"]:
            reach = "exact" if one["exact"] else f"{one['low']:.1f} to {one['high']:.1f}"
            lines.append(
                f"move {one['ply'] + 1}, {names[one['seat']]}, {one['grade']}: {one['move']}, "
                f"−{one['gold']:.1f} [{reach}]; better: {one['best']}"
            )
    return "\n".join(lines)
