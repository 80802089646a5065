"""Play a chunk of deal blocks, all its games side by side, and keep what can be told of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cacao_env import Game

from ..agents.agent import Agent, AgentError
from .blocks import Chunk, Pairing, seat_seed
from .gold_sources import gold_by_source

Progress = Callable[[int], None]  # told how many games have just ended


@dataclass(frozen=True)
class Rules:
    """What all games of an evaluation have in common."""

    seed: int = 1_000_000_000
    volcanoes: bool = False


@dataclass(frozen=True)
class Played:
    """One finished game; lists go by seat."""

    block: int
    rotation: int  # the candidate's seat
    scores: list[int]
    cacao: list[int]
    winners: list[int]
    gold: list[list[int]]  # by seat and source (tally.SOURCES)
    decisions: list[int]
    actions: list[int]

    def share(self, seat: int) -> float:
        """The seat's share of the win."""
        return 1 / len(self.winners) if seat in self.winners else 0.0

    def margin(self, seat: int) -> int:
        """The seat's score less the best other."""
        return self.scores[seat] - max(s for i, s in enumerate(self.scores) if i != seat)


@dataclass
class Spent:
    """An agent's decisions and the seconds that it took over them; placements among them."""

    decisions: int = 0
    seconds: float = 0.0
    placements: int = 0
    placement_seconds: float = 0.0

    def add(self, other: Spent) -> None:
        """Add another count to this one."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.placements += other.placements
        self.placement_seconds += other.placement_seconds


@dataclass(frozen=True)
class Outcome:
    """All that a chunk's games left: the games, and the time that each agent took."""

    key: str
    pairing: Pairing
    games: list[Played]
    spent: dict[str, Spent]

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Outcome:
        """From what ``as_dict`` gave."""
        spent = {name: Spent(**row) for name, row in data["spent"].items()}
        games = [Played(**game) for game in data["games"]]
        return cls(data["key"], Pairing(**data["pairing"]), games, spent)


class Table:
    """One game being played: who sits where and what each seat keeps."""

    def __init__(
        self, chunk: Chunk, block: int, rotation: int, agents: Mapping[str, Agent], rules: Rules
    ) -> None:
        self.block, self.rotation = block, rotation
        self.names = chunk.pairing.seats(rotation)
        self.game = Game.new(chunk.pairing.players, rules.seed + block, volcanoes=rules.volcanoes)
        self.kept = [
            agents[name].begin(seat_seed(rules.seed, block, rules.volcanoes, self.names, seat))
            for seat, name in enumerate(self.names)
        ]
        self.decisions = [0] * len(self.names)

    def play(self, action: int) -> None:
        """The deciding seat's action; AgentError names the game if it is illegal."""
        seat = self.game.seat
        assert seat is not None
        try:
            self.game.play(action)
        except ValueError as error:
            raise AgentError(
                f"{self.names[seat]} on seat {seat} of block {self.block}, decision "
                f"{self.game.ply + 1}: {error}"
            ) from None
        self.decisions[seat] += 1

    def result(self) -> Played:
        """What is kept of the finished game."""
        game = self.game
        return Played(
            self.block,
            self.rotation,
            game.scores(),
            [int(c) for c in game.state.cacao[: game.num_players]],
            game.winners(),
            gold_by_source(game).tolist(),
            self.decisions,
            list(game.history),
        )


def warm_up(chunk: Chunk, agents: Mapping[str, Agent], rules: Rules) -> None:
    """Ask both agents for one decision, untimed: what is compiled or loaded at first use is then."""
    for name in (chunk.pairing.agent, chunk.pairing.field):
        game = Game.new(chunk.pairing.players, rules.seed, volcanoes=rules.volcanoes)
        agents[name].act([game], [agents[name].begin(0)])


def play_chunk(
    chunk: Chunk,
    agents: Mapping[str, Agent],
    rules: Rules,
    progress: Progress = lambda games: None,
) -> Outcome:
    """Play a chunk's games to their end."""
    tables = [Table(chunk, *game, agents, rules) for game in chunk.games()]
    spent = {name: Spent() for name in (chunk.pairing.agent, chunk.pairing.field)}
    going = tables
    while going:
        for (name, placing), turn in _by_decider(going).items():
            _act(turn, agents[name], placing, spent[name])
        left = [table for table in going if not table.game.over]
        if len(left) < len(going):
            progress(len(going) - len(left))
        going = left
    return Outcome(chunk.key, chunk.pairing, [table.result() for table in tables], spent)


def _by_decider(going: list[Table]) -> dict[tuple[str, bool], list[tuple[Table, int]]]:
    """The games, with the seat that decides, by its agent and by whether it is to place a tile."""
    found: dict[tuple[str, bool], list[tuple[Table, int]]] = {}
    for table in going:
        seat = table.game.seat
        assert seat is not None
        key = table.names[seat], table.game.phase == "place"
        found.setdefault(key, []).append((table, seat))
    return found


def _act(turn: list[tuple[Table, int]], agent: Agent, placing: bool, clock: Spent) -> None:
    """Let an agent make one decision in each of some games."""
    games, kept = [table.game for table, _ in turn], [table.kept[seat] for table, seat in turn]
    begin = time.perf_counter()
    actions = agent.act(games, kept)
    seconds = time.perf_counter() - begin
    for (table, _), action in zip(turn, actions, strict=True):
        table.play(action)
    clock.add(Spent(len(turn), seconds, len(turn) * placing, seconds * placing))
