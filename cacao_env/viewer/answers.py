"""What the server answers, as plain data."""

from __future__ import annotations

from typing import Any

from ..game import Game
from ..people.choices import in_words
from ..people.story import Story, pack, to_think_about
from ..people.table import HUMAN, Table, check_plays, thought_of
from ..thinking import Thought
from .catalogue import Catalogue, Told

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


def thought_answer(catalogue: Catalogue, agent: str, game: Game) -> dict[str, Any]:
    """What an agent makes of a position: moves, cells and prospects."""
    if game.seat is None:
        raise ValueError("the game is over: there is nothing to decide")
    asked = to_think_about(game)
    thought: Thought = catalogue.with_thinker(agent, lambda one: _think(one, asked))
    told = {
        "agent": agent,
        "seat": game.seat,
        "weighed": thought.weighed,
        "unit": thought.unit,
        "moves": [_move(asked, thought, i) for i in range(min(MOVES, len(thought.actions)))],
        "considered": len(thought.actions),
        "legal": len(asked.legal_actions()),
        "cells": _cells(asked, thought),
    }
    told["lead"] = None if thought.lead is None else round(thought.lead, 2)
    for key in ("shares", "scores"):
        prospects = getattr(thought, key)
        told[key] = None if prospects is None else [round(float(x), 4) for x in prospects]
    return told


def _think(agent: Any, game: Game) -> Thought:
    check_plays(agent, game)
    return thought_of(agent, game)


def _move(game: Game, thought: Thought, i: int) -> dict[str, Any]:
    action = int(thought.actions[i])
    move = game.move(action)
    return {
        "words": in_words(game, move),
        "kind": move[0],
        "at": [list(part) for part in move if isinstance(part, tuple)],
        "tile": move[1] if move[0] != "act" else None,
        "turn": move[2] if move[0] != "act" else None,
        "weight": round(float(thought.weights[i]), 4),
        "value": None if thought.values is None else round(float(thought.values[i]), 4),
        "visits": None if thought.visits is None else int(thought.visits[i]),
    }


def _cells(game: Game, thought: Thought) -> list[dict[str, Any]]:
    """The weight of each cell, all moves there together."""
    weights: dict[tuple[int, int], float] = {}
    for action, weight in zip(thought.actions.tolist(), thought.weights):
        move = game.move(action)
        cell = next(part for part in move if isinstance(part, tuple))
        weights[cell] = weights.get(cell, 0.0) + float(weight)
    order = sorted(weights, key=lambda cell: -weights[cell])
    return [{"cell": list(cell), "weight": round(weights[cell], 4)} for cell in order]
