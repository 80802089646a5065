"""Which games are played: deal blocks, in chunks.

A *deal block* is one deal, played once with the candidate in each seat; copies of its opponent take
the other seats.  With 2 players the block of A against B is also that of B against A and is played
once; with more players the reverse is a block of its own.  A deal of a named task, and a deal of an
agent against itself, is played once.

A *chunk* is a few blocks of one pairing.  One process plays its games side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from ..engine.options import Options

BLOCKS_AT_ONCE = 8


@dataclass(frozen=True)
class Pairing:
    """A candidate in one seat against copies of one opponent in the others.

    ``task``: the id of a named task, whose environment chooses the seat and plays the opponents.
    """

    options: Options
    agent: str
    opponent: str
    task: str = ""

    @property
    def players(self) -> int:
        """Number of players."""
        return self.options.num_players

    @property
    def rotations(self) -> int:
        """Number of games of a block."""
        return 1 if self.task or self.agent == self.opponent else self.players

    def seats(self, rotation: int) -> tuple[str, ...]:
        """Return the agent of each seat in a block's game ``rotation``: the candidate's seat."""
        return tuple(self.agent if s == rotation else self.opponent for s in range(self.players))

    def candidates(self) -> tuple[str, ...]:
        """Return the agents that the games measure: with 2 players each is the other's opponent."""
        return (self.agent, self.opponent) if self.rotations == 2 else (self.agent,)


@dataclass(frozen=True)
class Chunk:
    """Some blocks of a pairing."""

    pairing: Pairing
    blocks: Sequence[int]

    @property
    def key(self) -> str:
        """A name for people."""
        pairing = self.pairing
        where = pairing.task or f"{pairing.players}p"
        return f"{where} {pairing.agent} / {pairing.opponent}, blocks from {self.blocks[0]} on"

    @property
    def num_games(self) -> int:
        """Number of games."""
        return len(self.blocks) * self.pairing.rotations

    def games(self) -> Iterator[tuple[int, int]]:
        """Yield (block, rotation) of every game."""
        for block in self.blocks:
            for rotation in range(self.pairing.rotations):
                yield block, rotation


def pairings(agents: Sequence[str], options: Sequence[Options]) -> list[Pairing]:
    """Return all pairings of the agents, for each of the options."""
    return [
        Pairing(one, agent, opponent)
        for one in options
        for agent, opponent in (combinations if one.num_players == 2 else permutations)(agents, 2)
    ]


def chunks(pairs: Sequence[Pairing], blocks: int) -> list[Chunk]:
    """Return all chunks, ordered so that every pairing advances at the same pace."""
    return [
        Chunk(pairing, range(first, min(first + BLOCKS_AT_ONCE, blocks)))
        for first in range(0, blocks, BLOCKS_AT_ONCE)
        for pairing in pairs
    ]
