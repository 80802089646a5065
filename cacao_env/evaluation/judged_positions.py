"""Make a file of positions for :mod:`.positions`: find them, and judge every placement.

Agents of all kinds play each other.  A position is taken where the value networks disagree.  Two of
them, of different lineages, play it to the end many times, with the same deals and draws for all
placements.  Placements drop out as the better ones become known.  The order of the first rounds and
the value of a placement that drops out early are helped by what the networks expect of it.

A folder keeps each position when it is finished, so the same command resumes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..agents.agent import decider
from ..agents.endgame import NODES_TO_JUDGE, exact_values, is_near_end, placements_left
from ..agents.registry import load_agent
from ..agents.utility import RELATIVE_SCORE
from ..agents.value.agent import ValueAgent
from ..agents.value.search import NEAR, TURNS, look_ahead, turns_ahead
from ..agents.value.tree import begin_search
from ..engine.options import Options
from ..engine.rng import new_rng
from ..engine.scoring import relative_score
from ..engine.tiles import MAX_TURNS
from ..files import locked, write_whole
from ..game import Game
from .judge import new_gold, play_out
from .matches import Progress, choices
from .positions import FORMAT, STAGES, UNITS, VERSION
from .store import engine_version
from .workers import do_all

NETWORKS = ("trinitario", "trinitario+search:sims=32")  # a position is one where these disagree
REFEREES = ("trinitario",)  # they take turns
PLAYERS = (*NETWORKS, "greedy")  # play the games in which positions are found
ASKED = PLAYERS  # whose choices are judged longer
SEATS = (2, 3, 2, 4)  # numbers of players, in turn
VOLCANOES = 4  # one group of positions in so many has volcanoes
EXACT = 5  # placements left from which the end is solved, where that does not take too long
# Rounds: passes after which so many placements go on.  In the last round a placement drops out when the
# standard error of its loss is at most ERROR gold, or that part of the loss.
ROUNDS = ((16, 12), (64, 6), (256, 3), (2000, 0))
ERROR, LOOK = 0.05, 64  # passes after which it is looked at
EXPECTED_ERROR = 1.5  # gold, of the difference of two placements that the networks expect


def _number(*parts: object) -> int:
    """A seed that depends on all parts, below 2**52 so that JavaScript can read it."""
    text = " ".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 12


class _Maker:
    """Finds and judges positions; ``phrase`` decides which."""

    def __init__(self, phrase: str) -> None:
        self._phrase = phrase
        self._agents = {name: load_agent(name) for name in ASKED}
        self._referees: list[ValueAgent] = []
        for name in REFEREES:
            agent = self._agents[name]
            assert isinstance(agent, ValueAgent)
            self._referees.append(agent)
        self._nets = [agent.tools for agent in self._referees]

    def __call__(self, number: int, progress: Progress) -> dict[str, Any]:
        row = self._find(number)
        progress(1)
        return row

    def _find(self, number: int) -> dict[str, Any]:
        """Play games until one has a position of the kind that ``number`` asks for."""
        (options, stage), attempt = _kind_of(number), 0
        while True:
            rng = np.random.default_rng(_number(self._phrase, number, attempt))
            seed = _number(self._phrase, number, attempt, "deal")
            game = self._played(options, seed, rng)
            start = Game.deal(options, seed)
            turns = placements_left(start.state)
            found = [
                (one, ply)
                for ply, (one, _) in enumerate(choices(game))
                if one.phase == "place" and stage == _stage(placements_left(one.state), turns)
            ]
            one, ply = found[rng.integers(len(found))]
            seen = one.determinise(decider(one), rng)
            chosen = {
                name: int(agent.act([seen], [agent.begin(0)])[0])
                for name, agent in self._agents.items()
            }
            if len({chosen[name] for name in NETWORKS}) > 1:
                break
            attempt += 1
        judged = self._judge(one, sorted(set(chosen.values())), _number(self._phrase, number))
        return {
            "number": number,
            "players": options.num_players,
            "volcanoes": options.volcanoes,
            "seed": seed,
            "actions": [int(action) for action in game.history[:ply]],
            "stage": stage,
            "left": int(placements_left(one.state)),
            "chosen": chosen,
            **judged,
        }

    def _played(self, options: Options, seed: int, rng: np.random.Generator) -> Game:
        """A game of agents drawn for each seat."""
        game = Game.deal(options, seed)
        agents = [
            self._agents[PLAYERS[i]] for i in rng.integers(len(PLAYERS), size=game.num_players)
        ]
        memory = [agent.begin(int(rng.integers(2**62))) for agent in agents]
        while not game.over:
            seat = decider(game)
            seen = game.determinise(seat, rng)
            game.play(agents[seat].act([seen], [memory[seat]])[0])
        return game

    def _judge(self, game: Game, chosen: Sequence[int], seed: int) -> dict[str, Any]:
        """Return what all legal placements lose, those that were judged longest first."""
        exact = _solved(game)
        found = _Playouts(self._nets, game, self._expected(game, seed), exact, seed)
        going = longest = np.arange(len(found.legal))
        for last, keep in ROUNDS[:1] if exact else ROUNDS:
            found.run(going, last, until_known=not keep)
            if keep:
                going = going[np.argsort(found.losses(going)[going], kind="stable")][:keep]
            if last == ROUNDS[0][0]:
                also = np.isin(found.legal, chosen).nonzero()[0]
                going = longest = np.array(list(dict.fromkeys([*also, *going])))
        return found.row(going, longest)

    def _expected(self, game: Game, seed: int) -> Any:
        """The relative score in gold that the referees expect after each placement, (K,)."""
        seat, rng = decider(game), new_rng(seed)
        states = game.determinise(seat, rng).states
        told = [
            [agent.expect(states, int(action), rng)[1] for action in game.legal_actions()]
            for agent in self._referees
        ]
        return np.array(
            [[relative_score(x, seat, game.num_players) for x in one] for one in told]
        ).mean(0)


def _kind_of(number: int) -> tuple[Options, int]:
    """Return the options of a position and its stage, by its number."""
    group = number // (len(SEATS) * len(STAGES))
    volcanoes = group % VOLCANOES == VOLCANOES - 1
    return Options(SEATS[number % len(SEATS)], volcanoes), number % len(STAGES)


def _stage(left: int, turns: int) -> int:
    return min(len(STAGES) - 1, len(STAGES) * (turns - left) // turns)


def _solved(game: Game) -> dict[int, float]:
    """Exact values in gold by placement, near the end of the game and if they are soon found."""
    if not is_near_end(game.state, EXACT):
        return {}
    found = exact_values(game.states, RELATIVE_SCORE, NODES_TO_JUDGE)
    return dict(zip(*(one.tolist() for one in found))) if found else {}


class _Playouts:
    """Outcomes of placements, (passes, K), in gold and shares of the win; nan where one is left out.

    ``expected``: gold, (K,); ``exact``: gold by placement, or {} where the end is not solved.
    """

    def __init__(
        self, nets: Sequence[Any], game: Game, expected: Any, exact: dict[int, float], seed: int
    ) -> None:
        self.legal, self._seat = game.legal_actions(), decider(game)
        self._players = game.num_players
        self._nets, self._states, self._rng = nets, game.states, new_rng(seed)
        ahead = turns_ahead(placements_left(game.state), game.num_players, TURNS, NEAR)
        self._learns = ahead == MAX_TURNS
        if self._learns:
            # Simulations draw the tiles of the pile in turn: not in their true order.
            self._states = game.determinise(self._seat, self._rng).states
            for _, _, work in nets:
                begin_search(work.tree)
        self._expected = expected
        self._exact = np.array([exact[int(a)] for a in self.legal]) if exact else None
        self._gold = np.full((ROUNDS[-1][0], len(self.legal)), np.nan)
        self._win = self._gold.copy()
        self._done = 0

    def run(self, going: Any, last: int, until_known: bool) -> None:
        """Play passes with some placements up to ``last``, or until their losses are known."""
        while self._done < last:
            ids = self.legal[going]
            sums, shares = np.zeros(len(ids)), np.zeros(len(ids))
            net, scratch, work = self._nets[self._done % len(self._nets)]
            if self._learns:
                self._learn(net, scratch, work, ids, sums, shares)
            else:
                of_one = net, scratch, work, self._states, ids, len(ids), net.inner
                play_out(*of_one, RELATIVE_SCORE, self._rng, sums, shares, new_gold(len(ids)))
            self._gold[self._done, going], self._win[self._done, going] = sums, shares
            self._done += 1
            if until_known and self._done % LOOK == 0:
                best = self._best(going)
                open_ = [i for i in going if i != best and not self._known(i, best)]
                if not open_:
                    break
                going = np.array([best, *open_])

    def _learn(self, net: Any, scratch: Any, work: Any, ids: Any, gold: Any, win: Any) -> None:
        """Play one pass near the end, where all seats learn which replies are good."""
        about = 1, np.zeros(1), 1, net.inner, MAX_TURNS
        number, dice = self._done // len(self._nets), self._rng.copy()
        for i, one in enumerate(ids):
            self._rng[:] = dice  # all placements have the same deal
            work.tree.passes[0] = number
            look_ahead(net, scratch, work, self._states, np.array([one]), *about, self._rng)
            scores = scratch.scores[: self._players]
            gold[i] = relative_score(scores, self._seat, self._players)
            win[i] = scratch.win_shares[self._seat]

    def _known(self, i: int, best: int) -> bool:
        lost = float(self._lost(i, best, self._gold).mean())
        return self._error(i, best) <= ERROR * max(1.0, abs(lost))

    def _best(self, going: Any) -> int:
        """The best of some placements: of those that were played in every pass."""
        if self._exact is not None:
            return int(going[self._exact[going].argmax()])
        going = going[~np.isnan(self._gold[self._done - 1, going])]
        return int(going[self._gold[: self._done, going].mean(0).argmax()])

    def _lost(self, i: int, best: int, of: Any, first: int = 0, step: int = 1) -> Any:
        """What a placement lost in the passes that played it."""
        lost = (of[:, best] - of[:, i])[first : self._done : step]
        return lost[~np.isnan(lost)]

    def _error(self, i: int, best: int) -> float:
        """The standard error of the mean loss in gold."""
        lost = self._lost(i, best, self._gold)
        return float(lost.std() / max(1, len(lost) - 1) ** 0.5)

    def losses(self, going: Any) -> Any:
        """What placements lose against the best of ``going``, in gold, (K,).

        Where few passes were played, the mean is weighted with what the networks expect.
        """
        best = self._best(going)
        if self._exact is not None:
            return self._exact[best] - self._exact
        found = np.zeros(len(self.legal))
        for i in range(len(found)):
            lost = self._lost(i, best, self._gold)
            # After a few passes, equal outcomes are no proof of equal values.
            played = max(self._error(i, best), 1 / len(lost)) ** -2
            told = EXPECTED_ERROR**-2
            expected = self._expected[best] - self._expected[i]
            found[i] = (played * lost.mean() + told * expected) / (played + told)
        return np.maximum(0, found - found[best])

    def row(self, going: Any, longest: Any) -> dict[str, Any]:
        """Return what the file has: ``longest`` were judged longest, ``going`` to the last pass."""
        best, gold = self._best(going), self.losses(going)
        first = sorted(longest, key=lambda i: (gold[i], i != best))
        order = [*first, *sorted(set(range(len(gold))) - set(first), key=gold.__getitem__)]
        exact = self._exact is not None
        referees = [
            [
                gold[i] if exact else self._lost(i, best, self._gold, r, len(self._nets)).mean()
                for i in first
            ]
            for r in range(len(self._nets))
        ]
        return {
            "passes": self._done,
            "placements": self.legal[order].tolist(),
            "gold": _scaled(gold[order], "gold"),
            "win": _scaled([self._lost(i, best, self._win).mean() for i in order], "win"),
            "errors": _scaled([0 if exact else self._error(i, best) for i in first], "gold"),
            "by_referee": [_scaled(one, "gold") for one in referees],
        }


def _scaled(losses: Any, unit: str) -> list[int]:
    """Losses as whole numbers of the file's unit."""
    return [round(float(x) / UNITS[unit]) for x in losses]


def make(folder: Path, phrase: str, count: int, workers: int, progress: Progress) -> Path:
    """Find and judge positions, keep each in the folder, and write them as a file there.

    ValueError if the folder has positions of another phrase or engine.  Returns the file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "positions.jsonl"
    with locked(folder / ".lock", f"another process is making positions in {folder}"):
        head = {"format": FORMAT, "version": VERSION, "phrase": phrase, "engine": engine_version()}
        lines = kept.read_bytes().splitlines(keepends=True) if kept.exists() else []
        if not lines:
            lines = [json.dumps(head).encode() + b"\n"]
        for what in ("phrase", "engine"):
            if json.loads(lines[0])[what] != head[what]:
                raise ValueError(f"{folder} has positions of another {what}; name another folder")
        lines = [line for line in lines if line.endswith(b"\n")]  # the last may be incomplete
        write_whole(kept, b"".join(lines))
        rows = {row["number"]: row for row in map(json.loads, lines[1:])}
        progress(len(rows))
        todo = {f"position {n}": n for n in range(count) if n not in rows}
        with (
            kept.open("a") as file,
            closing(do_all(todo, partial(_Maker, phrase), workers, progress)) as made,
        ):
            for row in made:
                rows[row["number"]] = row
                file.write(json.dumps(row, separators=(",", ":")) + "\n")
                file.flush()
        data = {**head, "positions": [rows[number] for number in range(count)]}
        out = folder / "positions.json.gz"
        write_whole(
            out, gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 9, mtime=0)
        )
        return out
