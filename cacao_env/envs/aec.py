"""The PettingZoo environment: ``cacao_v0.env()`` and ``cacao_v0.raw_env()``.

Agents are ``player_0`` ... in playing order.  :mod:`cacao_env.engine.actions` explains the action ids,
:mod:`cacao_env.engine.observation` the slices of an observation, :mod:`cacao_env.engine.rewards` the
rewards.
"""

from __future__ import annotations

import secrets
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ..agent import decider
from ..checks import as_bool, as_seed, check_choice, keywords_of
from ..engine.actions import LEGAL, why_illegal
from ..engine.jit import njit
from ..engine.notation import as_action
from ..engine.observation import MaskIn, ObservationDtype
from ..engine.options import OptionFields, Options
from ..engine.rewards import EVERY_STEP, REWARDS, Reward, potentials_into, rewards_into
from ..engine.rng import RngArray, new_rng
from ..engine.state import OVER, STATE, StateArray, deal
from ..engine.tiles import MAX_PLAYERS
from ..engine.types import b1, f4x1, f8x2, i1x1, i8, u1x1
from ..game import Game, as_position
from ..greedy.candidates import ObservationForm
from ..greedy.turn import step_turn
from ..views import Form
from .observations import Rows, reset_options, see_into
from .rendering import MODES, Renderer

Observation = npt.NDArray[Any]
Mask = npt.NDArray[np.int8]
_NO_RNG = new_rng(0)
_MASK_DTYPE = np.dtype(np.int8)
# In infos of finished games, and before the end what stands in their place.
RESULTS = {"score": 0, "best_other_score": 0, "win_share": 0.0}
GAME_IS_OVER = -1
DEAL = -(2**62)  # in place of an action; outside the range that notation.as_action accepts


@njit
def _see(states: StateArray, viewer: i8, scaled: b1, observation: u1x1 | f4x1, mask: i1x1) -> None:
    """Write a seat's observation and its mask, which is all 0 unless the seat decides."""
    see_into(states[0], viewer, scaled, observation, mask)


@njit
def _advance(
    states: StateArray,
    action: i8,
    rng: RngArray,
    mode: i8,
    scaled: b1,
    rewards: f8x2,
    observation: u1x1 | f4x1,
    mask: i1x1,
) -> Any:
    """Play a legal action, or DEAL a game; write the rewards and what the next deciding seat sees.

    ``rewards``, float (2, 4): the rewards of this step, and the potentials.  Returns (why the action is
    illegal or LEGAL, the next deciding seat); at the end of the game that is GAME_IS_OVER.
    """
    state = states[0]
    if action == DEAL:
        deal(state, rng)
        rewards[:] = 0
    else:
        code = why_illegal(state, action)
        if code != LEGAL:
            return code, GAME_IS_OVER
        step_turn(state, action)
        if state.phase == OVER or EVERY_STEP[mode]:
            scores, win_shares = np.empty(MAX_PLAYERS, np.int64), np.empty(MAX_PLAYERS)
            rewards_into(state, mode, rewards[1], scores, win_shares, rewards[0])
    seat = GAME_IS_OVER if state.phase == OVER else np.int64(state.seat)
    see_into(state, max(seat, 0), scaled, observation, mask)
    return LEGAL, seat


class _TerminateIllegal(wrappers.TerminateIllegalWrapper):
    """PettingZoo's wrapper, which looks for the mask in every dict, for dicts without one as well."""

    _prev_obs: Any

    def observe(self, agent: str) -> Any:
        """Return what an agent sees; an observation without a mask leaves the mask to the info."""
        seen = super().observe(agent)
        if isinstance(self._prev_obs, dict) and "action_mask" not in self._prev_obs:
            self._prev_obs = ()
        return seen


def wrap(environment: AECEnv) -> AECEnv:
    """Put PettingZoo's standard wrappers around an environment with action masks."""
    environment = _TerminateIllegal(environment, illegal_reward=-1)
    environment = wrappers.AssertOutOfBoundsWrapper(environment)
    return wrappers.OrderEnforcingWrapper(environment)


class raw_env(AECEnv):
    """Cacao as a PettingZoo AEC environment.

    - ``options``, or its fields ``num_players``, ``volcanoes``, ``decisions`` and ``table_size`` as
      keyword arguments: the game (:class:`~cacao_env.engine.options.Options`).
    - ``reward``: ``"outcome"``, ``"relative_score"`` or ``"shaped"``.
    - ``mask_in``: the action mask is in the ``"observation"`` (a dict), in the ``"info"`` (the
      observation is then the plain vector), or in ``"both"``.
    - ``observation``: ``"flat"``, one vector, ``"planes"``, a dict of ``board`` (C, W, W) and
      ``features``, or ``"candidates"``, a row for each choice (:mod:`cacao_env.views`).
    - ``observation_dtype``: ``"float32"`` in [0, 1], or raw ``"uint8"``.
    - ``fixed_infos``: every info has the same keys, which some data collectors require.  Before the
      end, ``score``, ``best_other_score`` and ``win_share`` are 0.
    - ``render_mode``: ``"ansi"`` returns text, ``"rgb_array"`` pixels, ``"svg"`` a picture as text;
      ``"human"`` shows every step in a window; or None.

    ``reset(seed=S)`` deals the game of ``Game.new(seed=S)``.  ``reset(options={"game": game})`` starts
    from a copy of a game's position instead, which must have the environment's options.  An illegal
    action raises ValueError and changes nothing.

    At the end of a game every agent's info has ``score`` and ``best_other_score`` in gold and
    ``win_share``.  ``state()`` shows the hands of all seats.

    ``is_parallelizable`` is False: one agent decides at a time, so ``aec_to_parallel`` rejects it.
    ``turn_based_aec_to_parallel`` converts it.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's own convention
        "name": "cacao_v0",
        "render_modes": MODES,
        "is_parallelizable": False,
        "render_fps": 2,
    }

    @keywords_of(Options)
    def __init__(
        self,
        options: Options | None = None,
        *,
        reward: Reward = "outcome",
        mask_in: MaskIn = "observation",
        observation: ObservationForm = "flat",
        observation_dtype: ObservationDtype = "float32",
        fixed_infos: bool = False,
        render_mode: str | None = None,
        **fields: Unpack[OptionFields],
    ) -> None:
        super().__init__()
        self._blank_info = RESULTS if as_bool("fixed_infos", fixed_infos) else {}
        self.options = Options.of(options, fields)
        self._reward_mode = check_choice("reward", reward, REWARDS)
        self._form = Form(self.options, observation, observation_dtype, mask_in)
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        blank = self.options.blank_states()
        self._blank = blank.tobytes()  # NumPy copies records slowly, field by field
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)

        self.possible_agents = [f"player_{seat}" for seat in range(self.options.num_players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        count = self._form.num_actions
        self.observation_spaces = {agent: self._form.space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}
        self._length, self._count = self.options.observation_size, self.options.num_actions
        size = len(self.possible_agents) * self._length
        high = 1 if observation_dtype == "float32" else 255
        self.state_space = spaces.Box(0, high, (size,), self._form.dtype.type)
        self._scaled = observation_dtype == "float32"
        self._allocate()
        # The deciding seat's observation is written as soon as it is known, and returned once.
        self._ready: tuple[str, Observation, Mask] | None = None
        self._rng = np.random.default_rng(secrets.randbits(128))
        self._game: Game | None = None

    def _allocate(self) -> None:
        """Make the arrays that compiled functions write and that no serializer need keep."""
        # The rows of the deciding seat, which it chooses from, and those of a seat that only looks.
        self._rows, self._shown = (
            None if self._form.rows is None else Rows(1, self._form.rows) for _ in range(2)
        )
        self._step_rewards = np.zeros((2, MAX_PLAYERS))  # and the potentials

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what follows from the game."""
        left = ("_ready", "_rows", "_shown", "_step_rewards")
        return {name: value for name, value in vars(self).items() if name not in left}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        self._ready = None
        self._allocate()
        if self._game is not None:
            potentials_into(self._game.state, self._reward_mode, self._step_rewards[1])
            if self._rows is not None:
                self._see_rows(self._rows, self.agent_selection)

    # --- PettingZoo's interface ------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the game of ``Game.new(seed=seed)``, or without a seed the environment's next game.

        ``options={"game": game}`` starts from a copy of that game instead.  Other keys are refused;
        PettingZoo's own tests give ``"options"``, which has no meaning.
        """
        start = reset_options(options, ("game",), ignored=("options",))
        position = as_position(start["game"], self.options) if "game" in start else None
        if seed is not None:
            self._rng = np.random.default_rng(as_seed(seed))
        else:
            seed = int(self._rng.integers(2**63))
        observation, mask = self._new_arrays()
        mode, rewards = self._reward_mode, self._step_rewards
        if position is not None:
            game, first = position, decider(position)
            potentials_into(game.state, mode, rewards[1])
            _see(game.states, first, self._scaled, observation, mask)
        else:
            game = Game(np.frombuffer(bytearray(self._blank), STATE), [])
            rng = new_rng(as_seed(seed))
            _, first = _advance(
                game.states, DEAL, rng, mode, self._scaled, rewards, observation, mask
            )
        self._game = game
        self._begin()
        self._hand_over(self.possible_agents[first], observation, mask)

    def _begin(self) -> None:
        """Let all agents take part in a new game."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {
            agent: self._blank_info.copy() for agent in self.agents
        }
        self._skip_agent_selection = None

    def observe(self, agent: str) -> Any:
        """Return what an agent sees now: a new array, or a dict with it and the action mask."""
        ready = self._ready
        if ready is not None and ready[0] == agent:
            _, observation, mask = ready
            self._ready = None
        else:
            rows = self._shown
            observation, mask = self._look(agent) if rows is None else self._see_rows(rows, agent)
        return self._form.of(observation, mask)

    def state(self) -> Observation:
        """Return the observations of all seats in one vector, for centralised critics.

        It contains hidden information: every hand.  It does not contain the order of the piles, which
        nobody can know.  Shape (num_players * observation_size,), in playing order; a new array.
        """
        return np.concatenate([self._look(agent)[0] for agent in self.possible_agents])

    def step(self, action: Any) -> None:
        """Play an action for ``agent_selection``; None for an agent whose game is over."""
        game = self.game
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = as_action(action)
        if self._rows is not None:
            number = self._action_of(number)
        observation, mask = self._new_arrays()
        mode, rewards = self._reward_mode, self._step_rewards
        code, seat = _advance(
            game.states, number, _NO_RNG, mode, self._scaled, rewards, observation, mask
        )
        if code != LEGAL:
            raise ValueError(game.why_illegal(number, code))
        game.note(number)
        over = seat == GAME_IS_OVER
        if over or EVERY_STEP[mode]:  # other steps have no rewards
            self._give_rewards(agent)
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
        self._hand_over(self.possible_agents[0 if over else seat], observation, mask)
        if over:
            self._add_results()
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
        """The game in progress; do not change it."""
        if self._game is None:
            raise ValueError("there is no game yet: call reset() first")
        return self._game

    def _new_arrays(self) -> tuple[Observation, Mask]:
        return np.empty(self._length, self._form.dtype), np.empty(self._count, _MASK_DTYPE)

    def _look(self, agent: str) -> tuple[Observation, Mask]:
        observation, mask = self._new_arrays()
        seat = self._seats[agent]
        _see(self.game.states, seat, self._scaled, observation, mask)
        return observation, mask

    def _see_rows(self, rows: Rows, agent: str) -> tuple[Observation, Mask]:
        rows.look(self.game.states, np.array([self._seats[agent]]))
        return rows.observations[0].copy(), rows.action_masks[0].copy()

    def _action_of(self, row: int) -> int:
        """Return the action of the deciding seat's row; ValueError if it has none."""
        assert self._rows is not None
        rows, actions = np.array([min(max(row, -1), self._form.num_actions)]), np.empty(1, np.int64)
        if self._rows.choose(rows, actions) >= 0:
            rows[0] = row
            raise ValueError(self._rows.explain(self.game.states, rows, 0))
        return int(actions[0])

    def _give_rewards(self, agent: str) -> None:
        """Add the step's rewards for all agents; the acting agent has seen its earlier ones."""
        self._cumulative_rewards[agent] = 0.0
        for name, reward in zip(self.possible_agents, self._step_rewards[0].tolist()):
            self.rewards[name] = reward
            self._cumulative_rewards[name] += reward

    def _hand_over(self, agent: str, observation: Observation, mask: Mask) -> None:
        """Select the next agent, with its observation."""
        self.agent_selection = agent
        if self._rows is not None:
            observation, mask = self._see_rows(self._rows, agent)
        self._ready = agent, observation, mask
        if self._form.mask_in_info:
            for name in self.agents:
                shown = mask.copy() if name == agent else np.zeros_like(mask)
                self.infos[name] = {"action_mask": shown, **self._blank_info}

    def _add_results(self) -> None:
        """Write the results of the finished game into the infos."""
        scores, win_shares = self.game.scores(), self.game.win_shares()
        for name, seat in self._seats.items():
            other = max(s for i, s in enumerate(scores) if i != seat)
            self.infos[name] |= dict(zip(RESULTS, (scores[seat], other, win_shares[seat])))


@keywords_of(raw_env)
def env(**arguments: Any) -> AECEnv:
    """Make the environment with PettingZoo's standard wrappers; arguments as :class:`raw_env`'s.

    An illegal action ends the game: its player gets -1, the others 0.
    """
    return wrap(raw_env(**arguments))
