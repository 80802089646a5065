"""The PettingZoo environment: ``cacao_v0.env()`` and ``cacao_v0.raw_env()``.

Agents are ``player_0`` ... in playing order.  :mod:`cacao_env.engine.actions` explains the action ids,
:mod:`cacao_env.engine.observation` the slices of an observation, :mod:`cacao_env.engine.rewards` the
rewards.
"""

from __future__ import annotations

import secrets
from inspect import signature
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ..engine.actions import LEGAL, mask_into, why_illegal
from ..engine.decisions import new_game
from ..engine.decisions import step as step_state
from ..engine.jit import njit
from ..engine.notation import as_action
from ..engine.observation import OBSERVATION_DTYPES, ObservationDtype, observe_as
from ..engine.options import OptionFields, Options, as_seed, check_choice
from ..engine.rewards import REWARDS, SHAPED, Reward, rewards_into
from ..engine.rng import new_rng
from ..engine.state import OVER
from ..engine.tiles import MAX_PLAYERS
from ..game import Game
from .rendering import MODES, Renderer

MaskIn = Literal["observation", "info", "both"]
MASK_IN: tuple[MaskIn, ...] = ("observation", "info", "both")
Observation = npt.NDArray[Any]
Mask = npt.NDArray[np.int8]
_NO_RNG = new_rng(0)
_MASK_DTYPE = np.dtype(np.int8)
GAME_IS_OVER = -1
DEAL = -(2**62)  # in place of an action; notation.as_action lets none so far down through


@njit
def _see(states, viewer, scaled, observation, mask):
    """Write a seat's observation and its mask, which is all 0 unless the seat decides."""
    state = states[0]
    observe_as(state, viewer, scaled, observation)
    if state.phase != OVER and state.seat == viewer:
        mask_into(state, mask)
    else:
        mask[:] = 0


@njit
def _advance(states, action, rng, mode, scaled, rewards, observation, mask):
    """Play a legal action, or DEAL a game; write the rewards and what the next deciding seat sees.

    All in one call, which is compiled as a whole.  ``rewards``, float (2, 4): the rewards of this step,
    and the potentials.  Returns (why the action is illegal or LEGAL, the next deciding seat); at the
    end of the game that is GAME_IS_OVER.
    """
    state = states[0]
    if action == DEAL:
        new_game(state, rng)
        rewards[:] = 0
    else:
        code = why_illegal(state, action)
        if code != LEGAL:
            return code, GAME_IS_OVER
        step_state(state, action)
        if state.phase == OVER or mode == SHAPED:
            scores, win_shares = np.empty(MAX_PLAYERS, np.int64), np.empty(MAX_PLAYERS)
            rewards_into(state, mode, rewards[1], scores, win_shares, rewards[0])
    seat = GAME_IS_OVER if state.phase == OVER else np.int64(state.seat)
    _see(states, max(seat, 0), scaled, observation, mask)
    return LEGAL, seat


def wrap(environment: AECEnv) -> AECEnv:
    """Put PettingZoo's standard wrappers around an environment with action masks."""
    environment = wrappers.TerminateIllegalWrapper(environment, illegal_reward=-1)
    environment = wrappers.AssertOutOfBoundsWrapper(environment)
    return wrappers.OrderEnforcingWrapper(environment)


class raw_env(AECEnv):
    """Cacao as a PettingZoo AEC environment.  Only one thread may use an environment at a time.

    - ``options``, or its fields ``num_players``, ``volcanoes``, ``decisions`` and ``table_size`` as
      keyword arguments: the game (:class:`~cacao_env.engine.options.Options`).
    - ``reward``: ``"outcome"``, ``"relative_score"`` or ``"shaped"``.
    - ``mask_in``: the action mask is in the ``"observation"`` (a dict), in the ``"info"`` (the
      observation is then the plain vector), or in ``"both"``.
    - ``observation_dtype``: ``"float32"`` in [0, 1], or raw ``"uint8"``.
    - ``render_mode``: ``"ansi"`` returns text, ``"rgb_array"`` pixels, ``"svg"`` a picture as text;
      ``"human"`` shows every step in a window; or None.

    ``reset(seed=S)`` deals the game of ``Game.new(seed=S)``.  An illegal action raises ValueError
    and changes nothing.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's own convention
        "name": "cacao_v0",
        "render_modes": MODES,
        "is_parallelizable": True,
        "render_fps": 2,
    }

    def __init__(
        self,
        options: Options | None = None,
        *,
        reward: Reward = "outcome",
        mask_in: MaskIn = "observation",
        observation_dtype: ObservationDtype = "float32",
        render_mode: str | None = None,
        **fields: Unpack[OptionFields],
    ) -> None:
        super().__init__()
        self.options = Options.of(options, fields)
        self._reward_mode = check_choice("reward", reward, REWARDS)
        check_choice("mask_in", mask_in, MASK_IN)
        check_choice("observation_dtype", observation_dtype, OBSERVATION_DTYPES)
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self._blank = self.options.blank_states()
        self._mask_in_observation = mask_in != "info"
        self._mask_in_info = mask_in != "observation"
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)

        self.possible_agents = [f"player_{seat}" for seat in range(self.options.num_players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        length, count = self.options.observation_size, self.options.num_actions
        self._dtype = np.dtype(observation_dtype)
        high = 1 if observation_dtype == "float32" else 255
        vector = spaces.Box(0, high, (length,), self._dtype.type)
        mask = spaces.Box(0, 1, (count,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": vector, "action_mask": mask})
            if self._mask_in_observation
            else vector
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}

        self._length, self._count = length, count
        self._scaled = observation_dtype == "float32"
        self._step_rewards = np.zeros((2, MAX_PLAYERS))  # and the potentials
        # The deciding seat's observation is written as soon as it is known, and returned once.
        self._ready: tuple[str, Observation, Mask] | None = None
        self._rng = np.random.default_rng(secrets.randbits(128))
        self._game: Game | None = None

    # --- PettingZoo's interface ------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the game of ``Game.new(seed=seed)``, or without a seed the environment's next game."""
        if seed is not None:
            self._rng = np.random.default_rng(as_seed(seed))
        else:
            seed = int(self._rng.integers(2**63))
        states = np.zeros(1, self._blank.dtype)  # with padding: games are compared as bytes
        states[0] = self._blank[0]
        game = Game(states, [])
        observation, mask = self._new_arrays()
        _, first = _advance(
            game.states,
            DEAL,
            new_rng(as_seed(seed)),
            self._reward_mode,
            self._scaled,
            self._step_rewards,
            observation,
            mask,
        )
        self._game = game
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._hand_over(self.possible_agents[first], observation, mask)

    def observe(self, agent: str) -> Any:
        """Return what an agent sees now: a new array, or a dict with it and the action mask."""
        ready = self._ready
        if ready is not None and ready[0] == agent:
            _, observation, mask = ready
            self._ready = None
        else:
            observation, mask = self._look(agent)
        if self._mask_in_observation:
            return {"observation": observation, "action_mask": mask}
        return observation

    def step(self, action: Any) -> None:
        """Play an action for ``agent_selection``; None for an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self.game
        number = as_action(action)
        observation, mask = self._new_arrays()
        code, seat = _advance(
            game.states,
            number,
            _NO_RNG,
            self._reward_mode,
            self._scaled,
            self._step_rewards,
            observation,
            mask,
        )
        if code != LEGAL:
            raise ValueError(game.why_illegal(number, code))
        game.note(number)
        over = seat == GAME_IS_OVER
        if over or self._reward_mode == SHAPED:  # other steps have no rewards
            self._give_rewards(agent)
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
        self._hand_over(self.possible_agents[max(seat, 0)], observation, mask)
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Render the position with all hands in ``render_mode`` (:mod:`cacao_env.envs.rendering`)."""
        return self._renderer.show(self.game)

    def close(self) -> None:
        """Close the window of mode "human"."""
        self._renderer.close()

    # --- More -------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game in progress, to be read."""
        if self._game is None:
            raise ValueError("there is no game yet: call reset() first")
        return self._game

    def _new_arrays(self) -> tuple[Observation, Mask]:
        return np.empty(self._length, self._dtype), np.empty(self._count, _MASK_DTYPE)

    def _look(self, agent: str) -> tuple[Observation, Mask]:
        observation, mask = self._new_arrays()
        seat = self._seats[agent]
        _see(self.game.states, seat, self._scaled, observation, mask)
        return observation, mask

    def _give_rewards(self, agent: str) -> None:
        """Add the step's rewards for all agents; the acting agent has seen its earlier ones."""
        self._cumulative_rewards[agent] = 0.0
        for name, reward in zip(self.possible_agents, self._step_rewards[0].tolist()):
            self.rewards[name] = reward
            self._cumulative_rewards[name] += reward

    def _hand_over(self, agent: str, observation: Observation, mask: Mask) -> None:
        """Select the next agent, with its observation."""
        self.agent_selection = agent
        self._ready = agent, observation, mask
        if self._mask_in_info:
            for name in self.agents:
                shown = mask.copy() if name == agent else np.zeros(self._count, np.int8)
                self.infos[name] = {"action_mask": shown}


def env(**arguments: Any) -> AECEnv:
    """Make the environment with PettingZoo's standard wrappers; arguments as :class:`raw_env`'s.

    An illegal action ends the game: its player gets -1, the others 0.
    """
    return wrap(raw_env(**arguments))


env.__signature__ = signature(raw_env)  # type: ignore[attr-defined]


def _register() -> None:
    """Register the environment with PettingZoo, in versions with a registry."""
    try:
        from pettingzoo import aec_registry, register
    except ImportError:
        return
    if "cacao_env/Cacao-v0" not in aec_registry:
        register("aec", "cacao_env/Cacao-v0", entry_point="cacao_env.envs.aec:env")


_register()
