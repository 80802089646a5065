"""Play a chunk of deal blocks, all its games side by side, and record their results."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..agent import FORFEIT, Agent, AgentError, ask, decider, seat_seed
from ..engine.actions import sample
from ..engine.rng import new_rng
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
    placements: list[int]  # of the decisions
    actions: list[int]
    luck: list[list[float]] | None = None  # as luck.luck_of returns it; None if nobody asked for it
    seconds: list[float] = field(default_factory=list)  # that the decisions took
    placement_seconds: list[float] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)  # the agents', if one has any
    deal: int | None = None  # of an episode of a named task, which draws its seed

    def counts(self, seats: Sequence[int]) -> Counter[str]:
        """Return what the agents on these seats counted."""
        found: Counter[str] = Counter()
        for seat in seats if self.notes else ():
            found.update(self.notes[seat].get("counts", {}))
        return found

    @property
    def forfeiter(self) -> int | None:
        """The seat that forfeited first; it has lost, and no gold, however the game went on."""
        when = {seat: own[FORFEIT] for seat, own in enumerate(self.notes) if FORFEIT in own}
        return min(when, key=lambda seat: when[seat], default=None)

    def win_share(self, seat: int) -> float:
        """Return the seat's share of the win; one that forfeits leaves it to the others."""
        if self.forfeiter is None:
            return self.win_shares[seat]
        return float(seat != self.forfeiter) / (len(self.scores) - 1)

    def score(self, seat: int) -> int:
        """Return the seat's score."""
        return 0 if seat == self.forfeiter else self.scores[seat]

    def margin(self, seat: int) -> int:
        """Return the seat's score minus the best other."""
        return self.score(seat) - max(self.score(i) for i in range(len(self.scores)) if i != seat)

    @property
    def _lucks(self) -> list[list[float]]:
        """The luck, if it was computed; none decides a forfeited game."""
        none = [[0.0] * len(self.scores)] * 2
        return none if self.luck is None or self.forfeiter is not None else self.luck

    def adjusted_win_share(self, seat: int) -> float:
        """Return the seat's share of the win less its luck."""
        return self.win_share(seat) - self._lucks[WIN_SHARES][seat]

    def adjusted_margin(self, seat: int) -> float:
        """Return the seat's margin less its luck and plus that of the others, in the mean."""
        own, total = self._lucks[SCORES][seat], sum(self._lucks[SCORES])
        return self.margin(seat) - own + (total - own) / (len(self.scores) - 1)


def a_move(counts: Iterable[Counter[str]]) -> dict[str, float]:
    """Return the mean a move of what ``PlayedGame.counts`` returned for several games."""
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    moves = total.pop("moves", 0)
    return {name: number / max(1, moves) for name, number in total.items()}


class ChunkResult(NamedTuple):
    """The games of a chunk."""

    pairing: Pairing
    games: list[PlayedGame]


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
        self._begin(len(self.names))

    def _begin(self, players: int, deal: int | None = None) -> None:
        self.deal = deal
        self.decisions, self.placements = [0] * players, [0] * players
        self.seconds, self.placement_seconds = [0.0] * players, [0.0] * players

    def play(self, action: int, seconds: float) -> None:
        """Play an action, which took ``seconds``; AgentError names the game if it is illegal."""
        seat, placing = decider(self.game), self.game.phase == "place"
        try:
            self._step(action)
        except ValueError as error:
            raise AgentError(
                f"{self.names[seat]} on seat {seat} of block {self.block}, decision "
                f"{sum(self.decisions) + 1}: {error}"
            ) from None
        self.decisions[seat] += 1
        self.placements[seat] += placing
        self.seconds[seat] += seconds
        self.placement_seconds[seat] += seconds * placing

    def _step(self, action: int) -> None:
        self.game.play(action)

    def result(self, agents: Mapping[str, Agent], luck: bool) -> PlayedGame:
        """Return the result of the finished game."""
        game = self.game
        notes = [
            agents[name].notes(own) if asked else {}
            for name, own, asked in zip(self.names, self.memory, self.decisions)
        ]
        same = ("block", "rotation", "deal", "decisions", "placements", "seconds")
        return PlayedGame(
            scores=game.scores(),
            cacao=[int(c) for c in game.state.cacao[: game.num_players]],
            win_shares=game.win_shares(),
            gold=gold_by_source(game).tolist(),
            actions=list(game.history),
            luck=luck_of(game).tolist() if luck else None,
            notes=notes if any(notes) else [],
            placement_seconds=self.placement_seconds,
            **{name: getattr(self, name) for name in same},
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
        self._begin(pairing.players, int(env.games.deals.view(np.int64)[0]))

    def _step(self, action: int) -> None:
        *_, info = self._env.step(action)
        if info["illegal_action"]:
            raise ValueError(f"illegal action {action}")
        self.game = self._env.game


def warm_up(pairing: Pairing, agents: Mapping[str, Agent], seed: int) -> dict[str, float]:
    """Ask the agents for one decision, so that compiling and loading is done; return its seconds."""
    seconds = {}
    # A task's environment asks its opponents itself.
    for name in (pairing.agent,) if pairing.task else (pairing.agent, pairing.opponent):
        seen = Game.deal(pairing.options, seed).determinise(0, seed)
        begin = time.perf_counter()
        agents[name].act([seen], [agents[name].begin(0)])
        seconds[name] = time.perf_counter() - begin
    return seconds


# Less its luck a win share needs so many times fewer games for the same interval, a margin more.
LUCK_SAVES = 1.6


def luck_pays(pairing: Pairing, agents: Mapping[str, Agent], seed: int) -> bool:
    """Return whether luck narrows an interval more than the same seconds spent on more games.

    One decision of each agent and the luck of one random game are timed.  Fast agents play several
    games in the time that the luck of one takes; searches, language models and people do not.
    """
    warm_up(pairing, agents, seed)
    a_decision = warm_up(pairing, agents, seed)
    game, rng = Game.deal(pairing.options, seed), new_rng(seed)
    a_game = int(game.state.tiles_each) * sum(a_decision[name] for name in pairing.seats(0))
    while not game.over:
        game.play(sample(game.state, rng))
    luck_of(game)  # loads the network
    begin = time.perf_counter()
    luck_of(game)
    return time.perf_counter() - begin < (LUCK_SAVES - 1) * a_game


def play_chunk(
    chunk: Chunk,
    agents: Mapping[str, Agent],
    seed: int,
    progress: Progress = lambda games: None,
    luck: bool = False,
) -> ChunkResult:
    """Play the games of a chunk to their end; block b has the deal of seed ``seed + b``."""
    matches = [
        _Episode(chunk, block, agents, seed)
        if chunk.pairing.task
        else _Match(chunk, block, rotation, agents, seed)
        for block, rotation in chunk.games()
    ]
    running = matches
    while running:
        for name, turn in _by_decider(running):
            _act(turn, agents[name])
        left = [match for match in running if not match.game.over]
        if len(left) < len(running):
            progress(len(running) - len(left))
        running = left
    return ChunkResult(chunk.pairing, [match.result(agents, luck) for match in matches])


def _by_decider(running: list[_Match]) -> Iterator[tuple[str, list[tuple[_Match, int]]]]:
    """Yield an agent and the games, with the seat that decides, of each turn that is alike.

    Games in which a tile is placed come apart from others, because placements are timed.
    """
    found: dict[tuple[str, bool], list[tuple[_Match, int]]] = {}
    for match in running:
        seat = decider(match.game)
        found.setdefault((match.names[seat], match.game.phase == "place"), []).append((match, seat))
    for (name, _), turn in found.items():
        yield name, turn


def _act(turn: list[tuple[_Match, int]], agent: Agent) -> None:
    """Let an agent make one decision in each of some games, which share the time that it takes."""
    # Copies in which hidden tiles have been dealt again: no agent sees the true deal.
    games = [match.game.determinise(seat, match.block) for match, seat in turn]
    memory = [match.memory[seat] for match, seat in turn]
    begin = time.perf_counter()
    actions = ask(agent, games, memory)
    seconds = time.perf_counter() - begin
    for (match, _), action in zip(turn, actions):
        match.play(action, seconds / len(turn))
