"""How much of the outcome an agent foresees, by the placements left in the game.

At every placement a value network tells the win shares and scores that it expects after it.  Another
agent tells those after its own choice (:class:`~cacao_env.agents.analysis.Analysis`).  The measure is
the coefficient of determination, R²: 1 for the outcome itself, 0 for its mean.  Chance bounds it: no
forecast can know the tiles to come.  Replays show the bound.  Everything hidden from the seat is dealt
again, and a network plays the game to its end several times.  The variance of the outcomes of one
position is noise.  The ceiling is the share of the whole variance that is not noise.  An agent's share
is its R² divided by the ceiling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..agents.agent import Agent, decider, require, seat_seed
from ..agents.endgame import placements_left
from ..agents.utility import RELATIVE_SCORE
from ..agents.value.agent import ValueAgent
from ..checks import as_int
from ..engine.options import Options
from ..engine.progress import Bar
from ..engine.rng import new_rng
from ..engine.scoring import relative_score
from ..game import Game
from ..provenance import provenance
from ..tables import DataTable
from .blocks import Chunk, Pairing, chunks
from .figures import ranged
from .intervals import LEVEL, resampled_means
from .judge import new_gold, play_out
from .matches import PlayedGame, Progress, choices, play_chunk, replayed
from .store import engine_version
from .workers import do_all, load_versions

# Relative scores, not margins: the mean of a margin is not the margin of means.
FORMAT, VERSION = "cacao-forecasts", 2
OF = ("wins", "gold")  # win share, and relative score
_FIGURES = ("r2", "ceiling", "share")
_TITLES = {"r2": "{agent}: {of}", "ceiling": "{of}: ceiling", "share": "{agent}: share"}
_ENDS = ("", "_low", "_high")  # a figure and its interval
LEAST_CEILING = 0.05  # a share of a ceiling that may be lower says nothing
Row = dict[str, Any]


def measure_forecasts(
    specs: Sequence[str],
    agents: Sequence[Agent],
    options: Options,
    games: int,
    seed: int,
    replays: int = 0,
    workers: int | None = 1,
) -> list[Row]:
    """Play games of the first agent against itself and return what every agent foresees.

    A row is of an ``agent`` with so many placements ``left`` in so many ``games``.  It has ``r2`` and,
    with replays, ``ceiling`` and ``share`` of the win share, ``wins_r2``, and of the relative score,
    ``gold_r2``, with the ends of their 95 % intervals over games, ``wins_r2_low``.

    Game g has the deal of ``seed + g``.  ``replays``: games that the first agent's network plays on
    from each position, 0 or at least 2.  ValueError for an agent that tells no expected result.
    """
    as_int("--deals", games, 2)
    if replays == 1 or replays < 0:
        raise ValueError(f"--ceiling is {replays}, expected 0, or 2 and more")
    if replays and not isinstance(agents[0], ValueAgent):
        raise ValueError(f"--ceiling: {agents[0].name} is no value network, and so can't replay")
    for agent in agents:
        require(agent, options)
    versions = {spec: agent.version for spec, agent in zip(specs, agents, strict=True)}
    every = chunks([Pairing(options, agents[0].name, agents[0].name)], games)
    todo = {chunk.key: chunk for chunk in every}
    make = partial(_Worker, versions, seed, replays)
    with (
        Bar(total=games, unit="game") as bar,
        closing(do_all(todo, make, workers, bar.update)) as parts,
    ):
        found = np.concatenate([part for _, part in sorted(parts, key=lambda part: part[0])])
    return [
        _foresight(agent.name, left, found[:, i, left], replays > 0)
        for left in reversed(range(found.shape[2]))
        for i, agent in enumerate(agents)
    ]


class _Worker:
    """Plays games of the first of its agents and asks all of them."""

    def __init__(self, versions: Mapping[str, str], seed: int, replays: int) -> None:
        self._agents = load_versions(versions)
        self._seed, self._replays = seed, replays

    def __call__(self, chunk: Chunk, progress: Progress) -> tuple[int, Any]:
        """Return the first game, and what ``_foresight`` takes by game, agent and placements left."""
        player = self._agents[0]
        turns = placements_left(Game.deal(chunk.pairing.options, self._seed).states[0])
        found = np.zeros((chunk.blocks, len(self._agents), turns, len(OF), 4))
        for played in play_chunk(chunk, {player.name: player}, self._seed, luck=False).games:
            self._foresee(chunk.pairing, played, found[played.block - chunk.first])
            progress(1)
        return chunk.first, found

    def _foresee(self, pairing: Pairing, played: PlayedGame, found: Any) -> None:
        """Write the figures of one game."""
        names, players, seed = pairing.seats(0), pairing.players, self._seed
        where = seed, played.block, pairing.options, names
        seeds = [seat_seed(*where, seat) for seat in range(players)]
        memory = [[agent.begin(one) for agent in self._agents] for one in seeds]
        for game, action in choices(replayed(pairing, played, seed)):
            if game.phase != "place":
                continue
            seat, left = decider(game), placements_left(game.state) - 1
            outcomes = self._outcomes(game, action, seat, played)
            # A copy with the hidden tiles dealt again: no agent sees the true deal.
            seen = game.determinise(seat, played.block)
            for row, agent, own in zip(found, self._agents, memory[seat], strict=True):
                wins, scores = _expected(agent, seen, action, own)
                forecast = wins[seat], relative_score(scores, seat, players)
                noise = outcomes.var(0, ddof=1) if len(outcomes) > 1 else np.zeros(len(OF))
                errors = ((outcomes - forecast) ** 2).mean(0)
                means = errors, outcomes.mean(0), (outcomes**2).mean(0), noise
                row[left] = np.stack(means, 1)

    def _outcomes(self, game: Game, action: int, seat: int, played: PlayedGame) -> Any:
        """The win share and relative score of the game, or of each replay after the action."""
        if not self._replays:
            scores = np.array(played.scores)
            return np.array([[played.win_share(seat), relative_score(scores, seat, len(scores))]])
        player = self._agents[0]
        assert isinstance(player, ValueAgent)
        rng = new_rng(seat_seed(self._seed, played.block, game.options, (), game.ply))
        net, scratch, work = player.tools
        ids = np.array([action])
        found = np.zeros((self._replays, 2))
        for wins, gold in zip(found[:, :1], found[:, 1:]):
            of_one = net, scratch, work, game.states, ids, 1, net.inner
            play_out(*of_one, RELATIVE_SCORE, rng, gold, wins, new_gold(1))
        return found


def _expected(agent: Agent, game: Game, action: int, memory: Any) -> tuple[Any, Any]:
    """Return the win shares and scores that an agent expects; ValueError if it does not tell them."""
    if isinstance(agent, ValueAgent):
        return agent.expect(game.states, action, memory)
    told = agent.analyze(game, memory)
    if told.win_shares is None or told.scores is None:
        raise ValueError(f"{agent.name} does not tell the win shares and scores it expects")
    return told.win_shares, told.scores


def _foresight(name: str, left: int, found: Any, replayed: bool) -> Row:
    """Return the row of (games, OF, 4) mean squared errors, outcomes, their squares and noise."""
    row: Row = {"agent": name, "left": left, "games": len(found)}
    for k, of in enumerate(OF):
        values = _figures(found[:, k].mean(0))
        low, high = np.percentile(_figures(resampled_means(found[:, k])), LEVEL, axis=1)
        for kind, *figure in zip(_FIGURES if replayed else _FIGURES[:1], values, low, high):
            row |= zip((f"{of}_{kind}{end}" for end in _ENDS), map(float, figure))
    return row


def _figures(means: Any) -> Any:
    """R², ceiling and share from means, (..., 4); 0 where all outcomes are the same."""
    spread = means[..., 2] - means[..., 1] ** 2
    varied = spread > 1e-9
    unseen = means[..., 0], means[..., 3]
    r2, ceiling = (np.where(varied, 1 - x / np.maximum(spread, 1e-9), 0.0) for x in unseen)
    return np.stack([r2, ceiling, r2 / np.maximum(ceiling, 1e-12)])


def document(
    rows: Sequence[Row], agents: Sequence[Agent], options: Options, seed: int, replays: int
) -> dict[str, Any]:
    """Return the figures as plain data, as ``--json`` writes them."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "agents": {agent.name: agent.version for agent in agents},
        "options": options.as_dict(),
        "seed": seed,
        "replays": replays,
        "engine": engine_version(),
        "rows": list(rows),
        **provenance(),
    }


def show(rows: Sequence[Row]) -> str:
    """Return a Markdown table, a line for each number of placements left."""
    head: list[object] = ["placements left"]
    lines: dict[int, list[object]] = {}
    for row in rows:
        line = lines.setdefault(row["left"], [row["left"]])
        for of, kind in product(OF, _FIGURES):
            # The ceiling is the same for all agents.
            if f"{of}_{kind}" not in row or (
                kind == "ceiling" and row["agent"] != rows[0]["agent"]
            ):
                continue
            known = kind != "share" or row[f"{of}_ceiling_low"] > LEAST_CEILING
            value, low, high = (row[f"{of}_{kind}{end}"] for end in _ENDS)
            line.append(ranged(value, low, high, ".3f") if known else "·")
            if row["left"] == rows[0]["left"]:
                head.append(_TITLES[kind].format(agent=row["agent"], of=of))
    return DataTable(head, list(lines.values()), "r").markdown()
