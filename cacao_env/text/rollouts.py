"""Games as conversations, for supervised and preference training."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..agents.agent import Agent, ask, decider, seat_seed
from ..engine.options import Options
from ..engine.rng import new_rng
from ..evaluation.luck import SCORES, WIN_SHARES, luck_of
from ..evaluation.matches import choices
from ..game import Game
from ..play.review import INACCURACY, Reviewer
from .prompt import Message, message, primer, prompt

Line = dict[str, Any]


def conversations(
    agent: Agent, options: Options, deals: int, seed: int, judged: bool = True
) -> Iterator[tuple[Line, list[Line]]]:
    """Yield the conversation of each seat of games of an agent against itself, and its pairs."""
    for deal in range(seed, seed + deals):
        game, names = Game.deal(options, deal), [agent.name] * options.num_players
        # Apart from the numbers that dealt the game, which would deal the same tiles again.
        rng = new_rng(seat_seed(deal, 0, options, names, options.num_players))
        memory = [agent.begin(seat_seed(deal, 0, options, names, s)) for s in range(len(names))]
        while (seat := game.seat) is not None:
            game.play(ask(agent, [game.determinise(seat, rng)], [memory[seat]])[0])
        yield from conversation(game, names, deal, judged)


def conversation(
    game: Game, names: Sequence[str], deal: int, judged: bool = True
) -> Iterator[tuple[Line, list[Line]]]:
    """Yield the conversation of each seat of a finished game, and its pairs.

    A conversation has ``messages``; ``agent, players, deal`` (its seed), ``seat``; the outcome,
    ``win_share`` and ``score``, and the ``luck`` of the draw in both; ``moves``, and if they are
    ``judged`` their ``regret`` in gold and the ``best`` move found, as in a review.  A pair is a move
    that lost gold and the best one: ``prompt, chosen, rejected, regret``.
    """
    reviewer, rules = Reviewer(game.options) if judged else None, message("system", primer())
    messages: list[list[Message]] = [[rules] for _ in names]
    decisions: list[list[tuple[str, float, str]]] = [[] for _ in names]
    pairs: list[list[Line]] = [[] for _ in names]
    for ply, (now, action) in enumerate(choices(game)):
        seat, best, regret = decider(now), action, 0.0
        if reviewer and len(now.legal_actions()) > 1:
            verdict, _ = reviewer.verdict(ply, now, action)
            if verdict.loss > 0:
                best, regret = verdict.best, verdict.loss
        asked, played = message("user", prompt(now, seat)), _stated(now.text(action))
        if regret >= INACCURACY:
            sides = {"chosen": [_stated(now.text(best))], "rejected": [played]}
            pairs[seat].append({"prompt": [rules, asked], **sides, "regret": regret})
        messages[seat] += [asked, played]
        decisions[seat].append((now.text(action), regret, now.text(best)))
    luck = luck_of(game)
    for seat, (share, score) in enumerate(zip(game.win_shares(), game.scores())):
        where = {"agent": names[seat], "players": len(names), "deal": deal, "seat": seat}
        chances = {
            "win_share": float(luck[WIN_SHARES, seat]),
            "score": float(luck[SCORES, seat]),
        }
        outcome = {"win_share": share, "score": score, "luck": chances}
        columns = ("moves", "regret", "best") if judged else ("moves",)
        found = dict(zip(columns, map(list, zip(*decisions[seat]))))
        yield {"messages": messages[seat]} | where | outcome | found, pairs[seat]


def _stated(move: str) -> Message:
    """Return the reply that states a move."""
    return message("assistant", json.dumps({"move": move}))
