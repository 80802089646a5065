"""Data sets in the forms of other libraries: Minari, conversations.  :mod:`.torch` is for PyTorch."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from ..agents.agent import decider
from ..agents.views import Form
from ..checks import as_path, as_seat, need
from ..engine.progress import Bar
from ..evaluation.luck import SCORES, WIN_SHARES, luck_of
from ..evaluation.matches import choices
from ..files import writing
from ..game import Game
from ..greedy.candidates import ObservationForm
from ..text.prompt import Message, message, primer, prompt
from .games import Decisions, Games

AT_ONCE = 256  # episodes in memory


def minari(
    games: Games,
    name: str,
    seat: int = 0,
    observation: ObservationForm = "flat",
    returns: str = "outcome",
) -> int:
    """Write one seat's episodes as a data set of Minari; return how many there are.

    The reward of the last decision is the return, the others are 0.  ``infos`` have the masks, the
    deal and the number of each decision.
    """
    library = need("minari", "minari", "minari")
    seat = as_seat(seat, games.options.num_players)
    dtype: Any = "uint8" if observation in ("flat", "planes") else "float32"
    form = Form(games.options, observation, dtype, "info")
    every = games.episodes(seat, observation=observation, returns=returns, dtype=dtype)
    episodes = (_episode(games, own) for own in Bar(every, total=len(games), unit="game"))
    found, made = None, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about the author and where the code is
        while some := list(islice(episodes, AT_ONCE)):
            if found:
                found.update_dataset_from_buffer(some)
            else:
                found = library.create_dataset_from_buffers(
                    name,
                    some,
                    observation_space=form.space(),
                    action_space=spaces.Discrete(form.num_actions),
                    algorithm_name=", ".join(games.manifest["recipe"]["agents"]),
                    description=f"Cacao, {games.options}, seat {seat}",
                    data_format="arrow",
                )
            made += len(some)
    return made


def _episode(games: Games, own: Decisions) -> Any:
    """Return one seat's decisions of a game as Minari's buffer."""
    buffer = need("minari.data_collector", "minari", "minari").EpisodeBuffer
    count, seen = len(own.actions), own.observations
    return buffer(
        # One observation more than decisions: nobody is asked at the end, so the last is repeated.
        observations={key: _longer(part) for key, part in seen.items()}
        if isinstance(seen, dict)
        else _longer(seen),
        actions=own.actions,
        rewards=[0.0] * (count - 1) + [float(own.returns[-1])],
        terminations=[False] * (count - 1) + [True],
        truncations=[False] * count,
        infos={
            "action_mask": np.concatenate([own.action_masks, own.action_masks[-1:] * 0]),
            # Lists: Minari can't read arrays of one dimension from its Arrow files.
            "deal": [int(games.deals[own.games[0]])] * (count + 1),
            "ply": [*own.plies.tolist(), -1],
        },
    )


def _longer(rows: Any) -> Any:
    return np.concatenate([rows, rows[-1:]])


def chat(games: Games, path: str | Path) -> int:
    """Write a conversation a seat, a line each; return how many there are."""
    agents = games.table.column("agents").to_pylist()
    found = (
        line
        for number, names in enumerate(agents)
        for line in _conversations(games[number], names, int(games.deals[number]))
    )
    count = 0
    with writing(as_path(path), pipes=True) as file:
        for line in Bar(found, unit="seat"):
            file.write(json.dumps(line).encode() + b"\n")
            count += 1
    return count


def _conversations(game: Game, names: Sequence[str], deal: int) -> Iterator[dict[str, Any]]:
    """Yield the conversation of each seat of a finished game.

    A conversation has ``messages``; ``agent, players, deal, seat``; the outcome, ``win_share`` and
    ``score``, and the ``luck`` of the draw in both; ``moves``.
    """
    messages: list[list[Message]] = [[message("system", primer())] for _ in names]
    moves: list[list[str]] = [[] for _ in names]
    for now, action in choices(game):
        seat, move = decider(now), now.text(action)
        reply = message("assistant", json.dumps({"move": move}))
        messages[seat] += [message("user", prompt(now, seat)), reply]
        moves[seat].append(move)
    luck = luck_of(game)
    for seat, (share, score) in enumerate(zip(game.win_shares(), game.scores())):
        yield {
            "messages": messages[seat],
            "agent": names[seat],
            "players": len(names),
            "deal": deal,
            "seat": seat,
            "win_share": share,
            "score": score,
            "luck": {
                "win_share": float(luck[WIN_SHARES, seat]),
                "score": float(luck[SCORES, seat]),
            },
            "moves": moves[seat],
        }
