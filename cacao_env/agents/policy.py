"""Policies as agents: a function of an environment's observation plays in every game.

A policy learned in an environment with some options.  As an agent it sees each position as that
environment would show it, whatever the game at hand asks on whichever table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agent import Agent, AgentError, decider, explained, require
from ..analysis import Analysis, certain
from ..checks import keywords_of
from ..engine.decisions import NONE
from ..engine.observation import MaskIn, ObservationDtype
from ..engine.options import ASKED, Options
from ..engine.rng import RngArray, below
from ..game import Game
from ..greedy.candidates import ObservationForm
from ..greedy.turn import unasked
from ..views import Form, look

Array = npt.NDArray[Any]
# (observations, action_masks) -> choices or logits, all with a first axis of the games, which is 1.
Choose = Callable[[Any, Array], Any]


class PolicyAgent(Agent):
    """A policy that learned in an environment, as an agent for every game with the same players.

    ``choose(observations, action_masks)`` gets what an environment with these arguments shows, with a
    first axis of length 1, and returns choices, integers (1,), or logits, floats (1, choices), of
    which the largest legal one counts.  ``observations`` has the form of ``observation``,
    ``observation_dtype`` and ``mask_in``; ``action_masks`` is int8 (1, choices).  The other arguments
    are those of :class:`~cacao_env.engine.options.Options`.  One position is shown at a time, because
    the last bits of a network's output can depend on how many are.

    ``version``: two policies of the same name and version play the same; without one, stored games
    of an evaluation are not used again.  Moves that the environment would not have asked for are
    played as it plays them.  AgentError for a choice that is illegal or of another shape.
    """

    @keywords_of(Options)
    def __init__(
        self,
        choose: Choose,
        observation: ObservationForm = "flat",
        observation_dtype: ObservationDtype = "float32",
        mask_in: MaskIn = "observation",
        name: str = "policy",
        version: str = "",
        **options: Any,
    ) -> None:
        self._choose = choose
        self.about = Form(Options(**options), observation, observation_dtype, mask_in)
        self.name, self.version = name, version
        self.options = self.about.options
        self.players = (self.options.num_players,)

    def supports(self, options: Options) -> bool:
        """Return whether it learned such games, whichever decisions are asked on whichever table."""
        return super().supports(options) and options.volcanoes == self.options.volcanoes

    @property
    def plays(self) -> str:
        """The games it supports, in words."""
        return str(self.options)

    def act(self, games: Sequence[Game], memory: Sequence[RngArray]) -> list[int]:
        """Choose the most likely legal action for each game, one after the other."""
        chosen = []
        for game, rng in zip(games, memory, strict=True):
            action = self._unasked(game)
            if action == NONE:
                actions, logits, _ = self.ask(game)
                action = actions[logits.argmax()] if len(actions) else _any_action(game, rng)
            chosen.append(int(action))
        return chosen

    def analyze(self, game: Game, memory: RngArray) -> Analysis:
        """Report the probabilities of the policy."""
        action = self._unasked(game)
        if action != NONE:
            return certain(action, "what the games that it learned play without asking")
        actions, logits, value = self.ask(game)
        if not len(actions):
            return certain(_any_action(game, memory), "random: its window shows no legal placement")
        probabilities = np.exp(logits - logits.max())
        probabilities /= probabilities.sum()
        order = np.argsort(-probabilities, kind="stable")
        lead, weighed = self._lead(game, value), "probabilities of its policy"
        return Analysis(actions[order], probabilities[order], weighed, lead=lead)

    def ask(self, game: Game) -> tuple[npt.NDArray[np.int64], Array, float | None]:
        """Return legal actions, int64 (K,), their logits, float64 (K,), and perhaps a value.

        A policy that returns choices has one action.  There is none where the table has outgrown the
        window.
        """
        seen = look(game, self.about, decider(game))
        legal = np.flatnonzero(seen.action_mask)
        if not len(legal):
            return legal, np.zeros(0), None
        observation = batch_of_one(seen.observation)
        answer, value = self._answer(observation, seen.action_mask[None].copy())
        if answer.shape == (1,) and answer.dtype.kind in "iu":
            if answer[0] not in legal:
                raise AgentError(
                    f"{self.name} chose {answer[0]}, which is not legal, expected a choice whose mask "
                    "is 1"
                )
            return seen.actions[answer], np.zeros(1), value
        if answer.shape != (1, self.about.num_actions) or answer.dtype.kind != "f":
            raise AgentError(
                f"{self.name} returned {answer.dtype} of shape {answer.shape}, expected integers of "
                f"shape (1,) or floats of shape {(1, self.about.num_actions)}"
            )
        logits = answer[0, legal].astype(np.float64)
        if not np.isfinite(logits).all():
            raise AgentError(f"{self.name}: a logit of a legal action is not a finite number")
        return seen.actions[legal], logits, value

    def _answer(self, observation: Any, mask: Array) -> tuple[Array, float | None]:
        """Return choices or logits, and a value if there is one."""
        with explained(f"{self.name} failed to choose"):
            return np.asarray(self._choose(observation, mask)), None

    def _unasked(self, game: Game) -> int:
        """Return what the games that it learned play without asking, or NONE."""
        decider(game)
        require(self, game.options)
        return int(unasked(game.state, ASKED.index(self.options.decisions)))

    def _lead(self, game: Game, value: float | None) -> float | None:
        """Return the relative score at the end that a value means, None if that is unknown."""
        return None


def batch_of_one(observation: Any) -> Any:
    """Return copies of an observation's arrays with a first axis of length 1."""
    if isinstance(observation, dict):
        return {name: batch_of_one(part) for name, part in observation.items()}
    return observation[None].copy()


def _any_action(game: Game, rng: RngArray) -> int:
    legal = game.legal_actions()
    return int(legal[int(below(rng, len(legal)))])
