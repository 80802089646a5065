"""What the server answers, as plain data."""

from __future__ import annotations

from typing import Any

from ..agents.analysis import Analysis
from ..game import Game
from .catalogue import Catalogue, Told
from .choices import in_words
from .history import Story, pack, to_think_about
from .table import HUMAN, Table, analysis_of, check_plays

MOVES = 40  # of a thought that are listed


def game_answer(name: str, table: Table, since: int) -> dict[str, Any]:
    """A game in play: the frames from ``since`` on, and what is to be decided."""
    people = [seat for seat, seated in enumerate(table.seats) if seated == HUMAN]
    frames = table.story.frames
    if len(people) > 1 and not table.game.over:  # nobody looks back at another's hand
        frames = [_without_hands(frame) for frame in frames[:-1]] + frames[-1:]
    since = min(max(since, 0), len(frames))
    return {
        "id": name,
        "seats": table.seats,
        "names": table.names,
        "people": people,
        "since": since,
        "length": len(frames),
        "frames": frames[since:],
        "over": table.game.over,
        "awaits": None if table.game.over else "person" if table.awaits_person else "agent",
        "choices": table.choices(),
        "can_undo": table.can_undo,
    }


def _without_hands(frame: dict[str, Any]) -> dict[str, Any]:
    return frame | {"seats": [seat | {"hand": None} for seat in frame["seats"]]}


def record_answer(name: str, one: Told) -> dict[str, Any]:
    """A record: all its frames."""
    return {"id": name, **replay_data(one.title, one.story)}


def replay_data(title: str, story: Story) -> dict[str, Any]:
    """What the page needs to show a finished game."""
    names = [f"player {seat + 1}" for seat in range(story.game.num_players)]
    return {"title": title, "names": names, **pack(story.frames)}


def analysis_answer(catalogue: Catalogue, agent: str, game: Game) -> dict[str, Any]:
    """What an agent makes of a position: moves, cells and prospects."""
    if game.seat is None:
        raise ValueError("the game is over: there is nothing to decide")
    asked = to_think_about(game)
    analysis: Analysis = catalogue.with_thinker(agent, lambda one: _analyze(one, asked))
    told = {
        "agent": agent,
        "seat": game.seat,
        "weighed": analysis.weighed,
        "unit": analysis.unit,
        "moves": [_move(asked, analysis, i) for i in range(min(MOVES, len(analysis.actions)))],
        "considered": len(analysis.actions),
        "legal": len(asked.legal_actions()),
        "cells": _cells(asked, analysis),
    }
    told["lead"] = None if analysis.lead is None else round(analysis.lead, 2)
    for key in ("win_shares", "scores"):
        best_turn = getattr(analysis, key)
        told[key] = None if best_turn is None else [round(float(x), 4) for x in best_turn]
    return told


def _analyze(agent: Any, game: Game) -> Analysis:
    check_plays(agent, game)
    return analysis_of(agent, game)


def _move(game: Game, analysis: Analysis, i: int) -> dict[str, Any]:
    action = int(analysis.actions[i])
    move = game.move(action)
    return {
        "words": in_words(game, move),
        "kind": move[0],
        "at": [list(part) for part in move if isinstance(part, tuple)],
        "tile": move[1] if move[0] != "act" else None,
        "turn": move[2] if move[0] != "act" else None,
        "weight": round(float(analysis.weights[i]), 4),
        "value": None if analysis.values is None else round(float(analysis.values[i]), 4),
        "visits": None if analysis.visits is None else int(analysis.visits[i]),
    }


def _cells(game: Game, analysis: Analysis) -> list[dict[str, Any]]:
    """The weight of each cell, all moves there together."""
    weights: dict[tuple[int, int], float] = {}
    for action, weight in zip(analysis.actions.tolist(), analysis.weights):
        move = game.move(action)
        cell = next(part for part in move if isinstance(part, tuple))
        weights[cell] = weights.get(cell, 0.0) + float(weight)
    order = sorted(weights, key=lambda cell: -weights[cell])
    return [{"cell": list(cell), "weight": round(weights[cell], 4)} for cell in order]
