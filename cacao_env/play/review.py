"""Review a finished game: win probabilities, the gold that each decision lost, and luck.

The best value network tells the win shares.  The judge of :mod:`cacao_env.evaluation.judge` compares
decisions in gold, by that network's playouts or, near the end, exactly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..agents.endgame import is_near_end
from ..engine.decisions import NONE, forced_action
from ..engine.options import Options
from ..engine.progress import Bar
from ..engine.state import AUTO
from ..evaluation.judge import Judge, solved, value_networks
from ..evaluation.luck import WIN_SHARES, luck_of
from ..game import Game
from .words import in_words, parts_of

INACCURACY, BLUNDER = 1.0, 3.0  # gold lost
LAST = 2  # placements left from which on decisions are solved
TOLD = 0.25  # gold; a smaller difference of a source is not told
TOP = 8  # candidates, the best by greedy
WITHIN = 0.15  # utility; candidates that the network finds worse by more are not tried
CHOOSING, COMPARING = 16, 96  # playouts a candidate that find the best; at most, those that compare


def review(game: Game) -> dict[str, Any]:
    """Review a finished game, under a progress bar; return plain data, as ``--json`` writes it.

    Keys: ``judge``, its name; ``decisions``, each from :meth:`Reviewer.judged`; ``seats``, how each
    played; ``result``, the win shares; ``thresholds`` of the grades.
    """
    if not game.over:
        raise ValueError("only a finished game can be reviewed")
    game = game.with_options("explicit")
    reviewer = Reviewer(game.options)
    decisions = Bar(list(_decisions(game)), unit="decision")
    found = [reviewer.judged(*decision) for decision in decisions]
    luck = luck_of(game)[WIN_SHARES].tolist()
    data = {
        "judge": reviewer.name,
        "decisions": found,
        "seats": [_summary(seat, found, luck[seat]) for seat in range(game.num_players)],
        "result": game.win_shares(),
        "thresholds": {"inaccuracy": INACCURACY, "blunder": BLUNDER},
    }
    rounded: dict[str, Any] = json.loads(
        json.dumps(data), parse_float=lambda number: round(float(number), 4)
    )
    return rounded


def _decisions(game: Game) -> Iterator[tuple[int, Game, int]]:
    """Yield (frame, position, action) of every decision with more than one legal move."""
    for ply, (now, action) in enumerate(game.plies()):
        if int(forced_action(now.state)) == NONE and len(now.legal_actions()) > 1:
            now.state.decisions = AUTO  # agents are made for such games
            yield ply, now, action


class Reviewer:
    """Judges decisions in words; ``name`` is that of the best network for the options."""

    def __init__(self, options: Options) -> None:
        networks = [pair for pair in value_networks() if pair[1].supports(options)]
        if not networks:
            raise ValueError(f"no value network is installed that judges {options}")
        self.name, self._network = networks[0]
        self._judge = Judge(self.name, options, top=TOP, within=WITHIN)

    def judged(self, ply: int, game: Game, action: int) -> dict[str, Any]:
        """Judge an action; ``ply`` is its frame.

        ``gold`` is what it lost against ``best``, with an interval from ``low`` to ``high`` (equal
        where the end is solved), and ``sources`` that gold by its source; ``gain`` what it is above the
        mean of the moves compared; ``shares`` every seat's win share before it.
        """
        shares = self._network.analyze(game, self._network.begin(ply)).win_shares
        assert shares is not None
        verdict = solved(game, action) if is_near_end(game.state, LAST) else None
        exact = verdict is not None
        if verdict is None:
            verdict = self._judge.by_playouts(game, action, CHOOSING, COMPARING, ply, _settled)
        best = verdict.best if verdict.loss > 0 else action
        loss, low = verdict.loss, verdict.loss - verdict.error
        return {
            "ply": ply,
            "seat": game.seat or 0,
            "move": in_words(game, game.move(action)),
            "best": in_words(game, game.move(best)),
            "best_parts": parts_of(game.move(best)) | {"kind": game.move(best)[0]},
            "gold": max(0.0, loss),
            "low": max(0.0, low),
            "high": max(0.0, loss + verdict.error),
            "exact": exact,
            "sources": verdict.sources,
            "gain": verdict.gain,
            "grade": _grade(loss, low),
            "shares": [float(share) for share in shares],
        }


def _settled(gold: float, error: float) -> bool:
    """Whether it is known well enough that a decision is no inaccuracy, or that it is a blunder."""
    return gold + error < INACCURACY or gold - error > BLUNDER


def _grade(gold: float, low: float) -> str:
    """A loss counts only as far as it is certain: half of it at the least."""
    if gold >= BLUNDER and low >= BLUNDER / 2:
        return "blunder"
    return "inaccuracy" if gold >= INACCURACY and low >= INACCURACY / 2 else ""


# --- Figures --------------------------------------------------------------------------------------


def _summary(seat: int, decisions: list[dict[str, Any]], luck: float) -> dict[str, Any]:
    """Return how a seat played: ``best`` and ``worst`` are places in the list of decisions, or None.

    ``luck`` of the draw is in win shares.
    """
    own = [(number, one) for number, one in enumerate(decisions) if one["seat"] == seat]
    losses = [one["gold"] for _, one in own]
    grades = [one["grade"] for _, one in own]
    worst = max(own, key=lambda pair: pair[1]["gold"], default=None)
    found = [pair for pair in own if not pair[1]["grade"] and pair[1]["gold"] < INACCURACY]
    best = max(found, key=lambda pair: pair[1]["gain"], default=None)
    return {
        "decisions": len(own),
        "mean_loss": sum(losses) / max(1, len(losses)),
        "total_loss": sum(losses),
        "inaccuracies": grades.count("inaccuracy"),
        "blunders": grades.count("blunder"),
        "best": best[0] if best else None,
        "worst": worst[0] if worst and worst[1]["gold"] > 0 else None,
        "luck": luck,
    }


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
                f"−{one['gold']:.1f} [{reach}]; better: {one['best']}{_reason(one['sources'])}"
            )
    return "\n".join(lines)


def _reason(sources: dict[str, float]) -> str:
    """Name the sources from which the better move brings more or less gold."""
    told = [f"{name} {gold:+.1f}" for name, gold in sources.items() if abs(gold) >= TOLD]
    return f" ({', '.join(told)})" if told else ""
