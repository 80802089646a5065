"""Play a chunk of deal blocks, all its games side by side, and record their results."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import astuple, dataclass, field
from typing import Any

from ..agents.agent import Agent, AgentError, ask, decider, seat_seed
from ..engine.options import Options
from ..engine.state import set_up
from ..game import Game
from ..gold_sources import gold_by_source
from .blocks import Chunk, Pairing
from .luck import SCORES, WIN_SHARES, luck_of

Progress = Callable[[int], None]  # called with the number of games that have just ended


@dataclass(frozen=True)
class PlayedGame:
    """One finished game; lists go by seat."""

    block: int
    rotation: int  # the candidate's seat
    scores: list[int]
    cacao: list[int]
    win_shares: list[float]
    gold: list[list[int]]  # by seat and source (gold_sources.SOURCES)
    decisions: list[int]
    actions: list[int]
    luck: list[list[float]]  # as luck.luck_of returns it
    notes: list[dict[str, Any]] = field(default_factory=list)  # the agents', if one has any

    def counts(self, seats: Sequence[int]) -> Counter[str]:
        """Return what the agents on these seats counted."""
        found: Counter[str] = Counter()
        for seat in seats if self.notes else ():
            found.update(self.notes[seat].get("counts", {}))
        return found

    def win_share(self, seat: int) -> float:
        """Return the seat's share of the win."""
        return self.win_shares[seat]

    def margin(self, seat: int) -> int:
        """Return the seat's score minus the best other."""
        return self.scores[seat] - max(s for i, s in enumerate(self.scores) if i != seat)

    def adjusted_win_share(self, seat: int) -> float:
        """Return the seat's share of the win less its luck."""
        return self.win_shares[seat] - self.luck[WIN_SHARES][seat]

    def adjusted_margin(self, seat: int) -> float:
        """Return the seat's margin less its luck and plus that of the others, in the mean."""
        own, total = self.luck[SCORES][seat], sum(self.luck[SCORES])
        return self.margin(seat) - own + (total - own) / (len(self.scores) - 1)


def a_move(counts: Iterable[Counter[str]]) -> dict[str, float]:
    """Return the mean a move of what ``PlayedGame.counts`` returned for several games."""
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    moves = total.pop("moves", 0)
    return {name: number / max(1, moves) for name, number in total.items()}


@dataclass(frozen=True)
class Timing:
    """An agent's decisions and the seconds that they took; placements are counted again."""

    decisions: int = 0
    seconds: float = 0.0
    placements: int = 0
    placement_seconds: float = 0.0

    def __add__(self, other: Timing) -> Timing:
        return Timing(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class ChunkResult:
    """The games of a chunk, and how long each agent took over its decisions."""

    key: str
    pairing: Pairing
    games: list[PlayedGame]
    timings: dict[str, Timing]

    def resumable(self, unversioned: Set[str]) -> bool:
        """Return whether a later run may use the games: each agent says which version it is."""
        return not {self.pairing.agent, self.pairing.opponent} & unversioned

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ChunkResult:
        """Return the result that ``dataclasses.asdict`` was called on."""
        pairing = dict(data["pairing"])
        return cls(
            data["key"],
            Pairing(Options.from_dict(pairing.pop("options")), **pairing),
            [PlayedGame(**game) for game in data["games"]],
            {name: Timing(**row) for name, row in data["timings"].items()},
        )


class _Match:
    """A game in play: the agent and the memory of each seat."""

    def __init__(
        self, chunk: Chunk, block: int, rotation: int, agents: Mapping[str, Agent], seed: int
    ) -> None:
        self.block, self.rotation = block, rotation
        options = chunk.pairing.options
        self.names = chunk.pairing.seats(rotation)
        self.game = Game.deal(options, seed + block)
        self.memory = [
            agents[name].begin(seat_seed(seed, block, options, self.names, seat))
            for seat, name in enumerate(self.names)
        ]
        self.decisions = [0] * len(self.names)

    def play(self, action: int) -> None:
        """Play the deciding seat's action; AgentError names the game if it is illegal."""
        seat = decider(self.game)
        try:
            self._step(action)
        except ValueError as error:
            raise AgentError(
                f"{self.names[seat]} on seat {seat} of block {self.block}, decision "
                f"{sum(self.decisions) + 1}: {error}"
            ) from None
        self.decisions[seat] += 1

    def _step(self, action: int) -> None:
        self.game.play(action)

    def result(self, agents: Mapping[str, Agent], luck: bool) -> PlayedGame:
        """Return the result of the finished game."""
        game, players = self.game, self.game.num_players
        notes = [
            agents[name].notes(own) if asked else {}
            for name, own, asked in zip(self.names, self.memory, self.decisions)
        ]
        return PlayedGame(
            self.block,
            self.rotation,
            game.scores(),
            [int(c) for c in game.state.cacao[:players]],
            game.win_shares(),
            gold_by_source(game).tolist(),
            self.decisions,
            list(game.history),
            luck_of(game).tolist() if luck else [[0.0] * players] * 2,
            notes if any(notes) else [],
        )


class _Episode(_Match):
    """A deal of a named task: its environment chooses the agent's seat and plays the others."""

    def __init__(self, chunk: Chunk, block: int, agents: Mapping[str, Agent], seed: int) -> None:
        import gymnasium

        pairing = chunk.pairing
        env: Any = gymnasium.make(pairing.task, disable_env_checker=True).unwrapped
        env.reset(seed=seed + block)
        self._env = env
        self.block, self.rotation, self.game = block, env.seat, env.game
        self.names = pairing.seats(self.rotation)
        both = pairing.agent, pairing.opponent
        own = agents[pairing.agent].begin(
            seat_seed(seed, block, pairing.options, both, self.rotation)
        )
        self.memory = [own] * pairing.players  # no other seat is asked here
        self.decisions = [0] * pairing.players

    def _step(self, action: int) -> None:
        *_, info = self._env.step(action)
        if info["illegal_action"]:
            raise ValueError(f"illegal action {action}")
        self.game = self._env.game


def warm_up(chunk: Chunk, agents: Mapping[str, Agent], seed: int) -> None:
    """Ask both agents for one decision, untimed, so that compiling and loading is done."""
    for name in _asked(chunk.pairing):
        seen = Game.deal(chunk.pairing.options, seed).determinise(0, seed)
        agents[name].act([seen], [agents[name].begin(0)])


def _asked(pairing: Pairing) -> tuple[str, ...]:
    """The agents that are asked here: a task's environment asks its opponents itself."""
    return (pairing.agent,) if pairing.task else (pairing.agent, pairing.opponent)


def play_chunk(
    chunk: Chunk,
    agents: Mapping[str, Agent],
    seed: int,
    progress: Progress = lambda games: None,
    luck: bool = True,
) -> ChunkResult:
    """Play the games of a chunk to their end; block b has the deal of seed ``seed + b``.

    Without ``luck``, and in a task, that of every game is 0.
    """
    luck = luck and not chunk.pairing.task
    matches = [
        _Episode(chunk, block, agents, seed)
        if chunk.pairing.task
        else _Match(chunk, block, rotation, agents, seed)
        for block, rotation in chunk.games()
    ]
    timings = {name: Timing() for name in _asked(chunk.pairing)}
    running = matches
    while running:
        for (name, placing), turn in _by_decider(running).items():
            timings[name] += _act(turn, agents[name], placing)
        left = [match for match in running if not match.game.over]
        if len(left) < len(running):
            progress(len(running) - len(left))
        running = left
    return ChunkResult(
        chunk.key, chunk.pairing, [match.result(agents, luck) for match in matches], timings
    )


def _by_decider(running: list[_Match]) -> dict[tuple[str, bool], list[tuple[_Match, int]]]:
    """Group the games, with the seat that decides, by its agent and by whether it places a tile."""
    found: dict[tuple[str, bool], list[tuple[_Match, int]]] = {}
    for match in running:
        seat = decider(match.game)
        found.setdefault((match.names[seat], match.game.phase == "place"), []).append((match, seat))
    return found


def _act(turn: list[tuple[_Match, int]], agent: Agent, placing: bool) -> Timing:
    """Let an agent make one decision in each of some games; return how long that took."""
    # Copies in which hidden tiles have been dealt again: no agent sees the true deal.
    games = [match.game.determinise(seat, match.block) for match, seat in turn]
    memory = [match.memory[seat] for match, seat in turn]
    begin = time.perf_counter()
    actions = ask(agent, games, memory)
    seconds = time.perf_counter() - begin
    for (match, _), action in zip(turn, actions):
        match.play(action)
    return Timing(len(turn), seconds, len(turn) * placing, seconds * placing)


def replayed(pairing: Pairing, played: PlayedGame, seed: int) -> Game:
    """Replay a finished game from its stored actions."""
    game = Game.deal(pairing.options, seed + played.block)
    for action in played.actions:
        game.play(action)
    return game


def choices(game: Game) -> Iterator[tuple[Game, int]]:
    """Yield a copy of every position of a game in which an action was chosen, and that action.

    Of a game that went on with other options these are all its moves.
    """
    game = game.plain()
    again = Game(game.clone().states, [])
    set_up(again.state)
    for action in game.history:
        yield again.clone(), action
        again.play(action)
