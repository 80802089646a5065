"""The server's answers as plain data."""

from __future__ import annotations

from typing import Any

from .. import record
from ..agents.agent import Agent, decider, require
from ..agents.analysis import Analysis
from ..game import Game
from .catalogue import Replay
from .history import pack, with_auto_decisions
from .table import Table
from .words import in_words, parts_of

MOVES = 40  # of an analysis that are listed


def game_answer(name: str, table: Table, since: int) -> dict[str, Any]:
    """Return a game in play: its frames from ``since`` on, and the decision to make."""
    people, frames = table.people, table.history.frames
    if len(people) > 1 and not table.game.over:  # nobody looks back at another's hand
        frames = [_without_hands(frame) for frame in frames[:-1]] + frames[-1:]
    since = min(max(since, 0), len(frames))
    return {
        "id": name,
        "seats": table.seats,
        "people_names": table.people_names,
        "volcanoes": table.game.volcanoes,
        "changes": table.changes,
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


def replay_data(replay: Replay) -> dict[str, Any]:
    """Return what the page needs to show a recorded game."""
    seats = range(replay.history.game.num_players)
    names = record.players_of(replay.data) or [f"player {seat + 1}" for seat in seats]
    return {"title": replay.title, "names": names, **pack(replay.history.frames)}


def analysis_answer(name: str, agent: Agent, game: Game) -> dict[str, Any]:
    """Return an agent's analysis of a position: moves, cells and what it expects."""
    seat, asked = decider(game), with_auto_decisions(game)
    require(agent, asked.options)
    analysis = agent.analyze(asked, agent.begin(0))
    found: dict[str, Any] = {
        "agent": name,
        "seat": seat,
        "weighed": analysis.weighed,
        "unit": analysis.unit,
        "moves": [_move(asked, analysis, i) for i in range(min(MOVES, len(analysis.actions)))],
        "considered": len(analysis.actions),
        "legal": len(asked.legal_actions()),
        "cells": _cells(asked, analysis),
        "lead": None if analysis.lead is None else round(analysis.lead, 2),
    }
    for key in ("win_shares", "scores"):
        expected = getattr(analysis, key)
        found[key] = None if expected is None else [round(float(x), 4) for x in expected]
    return found


def _move(game: Game, analysis: Analysis, i: int) -> dict[str, Any]:
    action = int(analysis.actions[i])
    move = game.move(action)
    return {
        "action": action,
        "words": in_words(game, move),
        "kind": move[0],
        **parts_of(move),
        "weight": round(float(analysis.weights[i]), 4),
        "value": None if analysis.values is None else round(float(analysis.values[i]), 4),
        "visits": None if analysis.visits is None else int(analysis.visits[i]),
    }


def _cells(game: Game, analysis: Analysis) -> list[dict[str, Any]]:
    """The weight of each cell: the sum over all moves there."""
    weights: dict[tuple[int, int], float] = {}
    for action, weight in zip(analysis.actions.tolist(), analysis.weights):
        move = game.move(action)
        cell = next(part for part in move if isinstance(part, tuple))
        weights[cell] = weights.get(cell, 0.0) + float(weight)
    order = sorted(weights, key=lambda cell: -weights[cell])
    return [{"cell": list(cell), "weight": round(weights[cell], 4)} for cell in order]
