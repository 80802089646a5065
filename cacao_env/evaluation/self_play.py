"""Play an agent against itself and measure what its decisions lose, in one process or several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from tqdm import tqdm

from cacao_env import Game

from ..agents.agent import Agent
from .blocks import Chunk, Pairing
from .matches import Rules
from .regret import GameLosses, Ruler, losses
from .workers import Player, Progress, do_all

GAMES_AT_ONCE = 16


@dataclass(frozen=True)
class SelfPlay(Chunk):
    """A chunk of deals that are played once each: the same agent is on every seat."""

    def games(self) -> Iterator[tuple[int, int]]:
        """(deal, 0) of every game."""
        for block in range(self.first, self.first + self.blocks):
            yield block, 0


class Judge:
    """Plays games of self-play and measures what their decisions lose."""

    def __init__(self, spec: str, rules: Rules, ruler: Ruler) -> None:
        self._player = Player([spec], rules)
        self._rules, self._ruler = rules, ruler

    def __call__(self, chunk: SelfPlay, progress: Progress) -> list[GameLosses]:
        """All of a chunk's games, played side by side."""
        rules, found = self._rules, []
        for played in self._player(chunk, lambda games: None).games:
            game = Game.new(
                chunk.pairing.players, rules.seed + played.block, volcanoes=rules.volcanoes
            )
            for action in played.actions:
                game.play(action)
            found.append(losses(game, played.block, self._ruler, rules.seed))
            progress(1)
        return found


def self_play(name: str, players: int, games: int) -> list[SelfPlay]:
    """All games, in chunks that depend on nothing else: a net sees one in one batch."""
    ends = [*range(0, games, GAMES_AT_ONCE), games]
    return [SelfPlay(Pairing(players, name, name), i, k - i) for i, k in pairwise(ends)]


def play_and_judge(
    spec: str, agent: Agent, players: int, games: int, rules: Rules, ruler: Ruler, workers: int = 1
) -> list[GameLosses]:
    """What an agent's decisions lose, game by game, in the order of the deals."""
    todo = self_play(agent.name, players, games)
    with tqdm(total=games, unit="game", disable=None) as bar:
        parts = do_all(todo, partial(Judge, spec, rules, ruler), workers, bar.update)
        try:
            found = [game for part in parts for game in part]
        finally:
            parts.close()
    return sorted(found, key=lambda game: game.block)
