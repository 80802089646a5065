"""Which games are played: deal blocks, in chunks.

A *deal block* is one deal played once for every seat of the candidate, the other seats taken by
copies of its opponent, the *field*.  With 2 players the block of A against B is also that of B
against A and is played once; with more, the reverse is a block of its own.

A *chunk* is a few blocks of one pairing: what is played at once, kept at once, and handed to one
process.  It alone says which games a network sees in one batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

BLOCKS_AT_ONCE = 8


@dataclass(frozen=True)
class Pairing:
    """A candidate in one seat against copies of a field in the others."""

    players: int
    agent: str
    field: str

    def seats(self, rotation: int) -> tuple[str, ...]:
        """Who sits where in a block's game number ``rotation``: the candidate on that seat."""
        return tuple(self.agent if s == rotation else self.field for s in range(self.players))


@dataclass(frozen=True)
class Chunk:
    """Blocks ``first`` to ``first + blocks - 1`` of a pairing."""

    pairing: Pairing
    first: int
    blocks: int

    @property
    def key(self) -> str:
        """A name that no other chunk of an evaluation has."""
        pairing = self.pairing
        return f"{pairing.players}p {pairing.agent} / {pairing.field} {self.first}+{self.blocks}"

    def games(self) -> Iterator[tuple[int, int]]:
        """(block, rotation) of every game."""
        for block in range(self.first, self.first + self.blocks):
            for rotation in range(self.pairing.players):
                yield block, rotation


def pairings(agents: Sequence[str], players: Sequence[int]) -> list[Pairing]:
    """Everyone against everyone, for each number of players."""
    return [
        Pairing(count, agent, field)
        for count in players
        for agent, field in (combinations if count == 2 else permutations)(agents, 2)
    ]


def chunks(pairs: Sequence[Pairing], blocks: int) -> list[Chunk]:
    """All chunks, so ordered that every pairing gets on at the same pace."""
    return [
        Chunk(pairing, first, min(BLOCKS_AT_ONCE, blocks - first))
        for first in range(0, blocks, BLOCKS_AT_ONCE)
        for pairing in pairs
    ]


def seat_seed(seed: int, block: int, volcanoes: bool, seats: Sequence[str], seat: int) -> int:
    """The seed of the agent on a seat of a game: the same whenever and wherever it is played."""
    about = "\n".join([str(seed), str(block), str(int(volcanoes)), str(seat), *seats])
    return int.from_bytes(hashlib.blake2b(about.encode(), digest_size=8).digest(), "big")
