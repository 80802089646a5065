"""The games of a round of self-play, in chunks that threads can play at once.

Everything random comes from (seed, round), so a resumed run draws what an uninterrupted one draws,
and the games do not depend on how many threads play them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cacao_env.agents.value.net import Net, new_scratch
from cacao_env.agents.value.turns import new_work
from cacao_env.data.folder import Row
from cacao_env.engine.options import Options
from cacao_env.engine.tiles import MAX_PLAYERS, MAX_TURNS, TILES_EACH

from .games import Behaviour, Played, Samples, new_played, new_samples, play_sample_games

CHUNK = 100  # games that one thread plays at a time
_GAMES = 0  # tells random numbers for games from those for batches


class SeededGames(NamedTuple):
    """So many games under one set of rules."""

    options: Options
    seeds: Any


def games_of_each_kind(
    count: int, weights: Mapping[str, float], volcanoes: float
) -> dict[tuple[int, bool], int]:
    """How many of ``count`` games have so many players, without volcanoes and with them."""
    total = sum(weights.values())
    return {
        (int(players), with_them): round(round(count * weight / total) * part)
        for players, weight in sorted(weights.items())
        for with_them, part in ((False, 1 - volcanoes), (True, volcanoes))
    }


def split_games(
    count: int, weights: Mapping[str, float], volcanoes: float, key: Sequence[int]
) -> list[SeededGames]:
    """Divide ``count`` games by numbers of players and rules into chunks; each game gets a seed."""
    rng = np.random.default_rng([*key, _GAMES])
    chunks = []
    for (players, with_them), games in games_of_each_kind(count, weights, volcanoes).items():
        for first in range(0, games, CHUNK):
            seeds = rng.integers(0, 2**63, min(CHUNK, games - first)).astype(np.uint64)
            chunks.append(SeededGames(Options(players, with_them), seeds))
    return chunks


def play(games: SeededGames, net: Net, behaviour: Behaviour) -> tuple[Samples, Played]:
    """Play some games, without the interpreter's lock; return their samples and their actions."""
    players = games.options.num_players
    turns = players * int(TILES_EACH[players])
    a_game = turns * (behaviour.kept + (players - 1) * behaviour.others)
    room = int(1.1 * len(games.seeds) * a_game) + 2 * MAX_TURNS * MAX_PLAYERS
    samples, played = new_samples(room), new_played(games.seeds)
    count = play_sample_games(
        net, new_scratch(net), new_work(), games.options.blank_states(), behaviour, played, samples
    )
    done = played.plies > 0
    return Samples(*(array[:count] for array in samples)), Played(*(a[done] for a in played))


def rows_of(name: str, options: Options, number: int, played: Played) -> list[Row]:
    """Return games of a round as rows of a folder of games; ``name``: of the agent, as it was then."""
    players, ends = options.num_players, ("scores", "cacao", "win_shares")
    return [
        {
            "deal": int(played.seeds[g]),
            **options.as_dict(),
            "agents": [name] * players,
            "versions": [f"round {number}"] * players,
            "actions": played.actions[g, : played.plies[g]].tolist(),
            **{name: getattr(played, name)[g, :players].tolist() for name in ends},
        }
        for g in range(len(played.seeds))
    ]


def join(parts: Sequence[Samples]) -> Samples:
    """One set of samples from several."""
    return Samples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
