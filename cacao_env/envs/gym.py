"""Gymnasium: one seat against opponents, in one game (`CacaoEnv`) or many (`CacaoVectorEnv`).

    gymnasium.make("cacao_env/Cacao-v0", opponents="greedy")
    gymnasium.make_vec("cacao_env/Cacao-v0", num_envs=64, opponents={"random": 1, "greedy": 3})

Both use :class:`cacao_env.envs.versus.VersusGames`.  A step is the learner's decision and everything
until its next decision.  The reward is the sum of what the seat earned meanwhile, so the last step of
an episode shows its outcome.  Options of both:

- ``opponents``: an agent for all other seats: a name, an :class:`~cacao_env.agent.Agent`, or an
  object with ``act(game) -> int``; weights by name or agent, from which every episode draws one; or a
  list with one for each other seat, clockwise after the learner's.  Random and greedy play in compiled
  code; Python asks all others, which is slower.
- ``num_players``, ``volcanoes``, ``decisions``, ``table_size``, ``reward``, ``mask_in``,
  ``observation`` and ``observation_dtype``: as in :mod:`cacao_env.envs.aec`.
- ``seat``: the learner's, 0 to num_players - 1; None rotates it from episode to episode.
- ``illegal``: ``"lose"`` ends the episode at an illegal action, with the worst possible return (-1 for
  ``outcome``) and ``illegal_action`` True in the info.  ``"raise"`` raises a ValueError that explains
  it and changes nothing.  ``"lose"`` is the default because Gymnasium's and Stable-Baselines3's
  checkers sample unmasked actions and report an exception as a broken environment.  ``"raise"`` shows
  whether a learner really masks.

- ``fixed_infos``: every info has the same keys, which some data collectors require.  Before the end,
  ``score``, ``best_other_score`` and ``win_share`` are 0.  With ``AutoresetMode.SAME_STEP`` the
  results are in ``final_info`` alone.

Infos contain numbers only: ``seat``, the learner's; ``illegal_action``; ``action_mask`` for ``mask_in``
``"info"`` or ``"both"``; and at the end of an episode ``score`` and ``best_other_score`` in gold, and
``win_share``: 1 divided by the number of winners for each of them and 0 for the others, and 0 for an
episode lost by an illegal action.

The mask of a finished game is all 0: nothing is legal.  Gymnasium's own vector environments show it for
one step (``AutoresetMode.NEXT_STEP``), in which the action is ignored.  If a policy sets the logits of
illegal actions to minus infinity, no action is left in this step.  Use a large negative number instead.
:class:`CacaoVectorEnv` shows the mask of the next game, except with ``NEXT_STEP`` and ``DISABLED``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..checks import as_bool, as_int, as_seed, check_choice, keywords_of
from ..engine.observation import MaskIn, ObservationDtype
from ..game import Game, as_position
from ..greedy.candidates import ObservationForm, as_candidates
from ..views import Form
from .batch import as_flags
from .observations import reset_options
from .opponents import OpponentSpec
from .rendering import MODES, Renderer
from .versus import Illegal, VersusGames

VECTOR_MODES = [mode for mode in MODES if mode != "human"]  # one window can't show many games
_FAR = 2**63 - 1  # illegal, as are all larger numbers
_OWN = ("self", "num_games", "modes", "begin", "seed")  # arguments that environments set


class _OneSeat:
    """What both environments have: games that nobody has dealt yet, as one learner sees them."""

    def _begin(
        self,
        num_games: int,
        opponents: OpponentSpec,
        modes: Sequence[str],
        *,
        mask_in: MaskIn = "observation",
        observation: ObservationForm = "flat",
        observation_dtype: ObservationDtype = "float32",
        illegal: Illegal = "lose",
        fixed_infos: bool = False,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        check_choice("render_mode", render_mode, (None, *modes))
        self.render_mode, self._renderer = render_mode, Renderer(render_mode)
        self._fixed_infos = as_bool("fixed_infos", fixed_infos)
        self.games = VersusGames(
            num_games,
            opponents,
            illegal=illegal,
            begin=False,
            observation=as_candidates(observation) or "flat",
            observation_dtype=observation_dtype,
            **arguments,
        )
        self._form = Form(self.games.options, observation, observation_dtype, mask_in)
        self._every = np.ones(num_games, np.bool_)
        self._started = False

    def _reset_games(self, rng: np.random.Generator) -> None:
        """Deal from the environment's own generator, which also draws the first learner's seat.

        So a new seed for each episode, as in many evaluations, does not fix the seat.
        """
        self.games.reset(int(rng.integers(2**63)), int(rng.integers(self.games.num_players)))

    def _require_started(self) -> None:
        if not self._started:
            raise ValueError("call reset() first")

    def _results(self, over: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return the results of the games that are over, 0 for others."""
        return {
            "score": np.where(over, self.games.final_scores[:, 0], 0),
            "best_other_score": np.where(over, self.games.final_scores[:, 1], 0),
            "win_share": np.where(over, self.games.final_win_shares, 0.0),
        }


class CacaoEnv(_OneSeat, gymnasium.Env[Any, Any]):
    """One game: the learner's seat against opponents.

    Actions: ``Discrete(num_actions)``.  Observations: a dict of ``observation``, float32 in [0, 1] or
    raw uint8, (observation_size,), and ``action_mask``, int8, (num_actions,); with ``mask_in="info"``
    the first alone.  ``observation="planes"`` splits the vector into ``board`` and ``features``
    (:mod:`cacao_env.views`).  Every returned array is a new one.

    ``render_mode``: ``"ansi"`` returns the table as text, ``"rgb_array"`` as pixels, ``"svg"`` as a
    picture in text, ``"human"`` shows every step in a window; all hands are shown.

    ``reset(seed=S)`` begins the same episode every time, named opponents included.  Without a seed it
    begins the next episode of the same series.  ``reset(options={"game": game})`` starts from a copy
    of a game's position, which must have the environment's options.  The learner takes its fixed
    ``seat``, or without one the seat that decides there, and the opponents play on.
    """

    metadata: dict[str, Any] = {"render_modes": MODES, "render_fps": 2}  # noqa: RUF012

    @keywords_of(_OneSeat._begin, VersusGames, without=_OWN)
    def __init__(self, opponents: OpponentSpec = "random", **arguments: Any) -> None:
        self._begin(1, opponents, MODES, **arguments)
        self.action_space = spaces.Discrete(self.games.action_masks.shape[1])
        self.observation_space = self._form.space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; return (observation, info)."""
        start = reset_options(options, ("game",))
        position = as_position(start["game"], self.games.options) if "game" in start else None
        super().reset(seed=None if seed is None else as_seed(seed))
        began, self._started = self._started, False  # until the new episode has begun
        if seed is not None or not began or self.games.interrupted:
            self._reset_games(self.np_random)
        else:
            self.games.deal(self._every)
        if position is not None:
            self.games.start(0, position)
        self._started = True
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action; return (observation, reward, terminated, truncated, info).

        ValueError before ``reset``, after the end, for an action that is no integer, and with
        ``illegal="raise"`` for an illegal one.
        """
        games = self.games
        self._require_started()
        if games.ended[0]:
            raise ValueError("the episode is over: call reset()")
        number = as_int("action", action)
        games.step(np.array([min(max(number, -_FAR), _FAR)]), deal=False)
        info = self._info()
        if self.render_mode == "human":
            self.render()
        return self._observation(), float(games.rewards[0]), bool(games.ended[0]), False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool, (num_actions,), as sb3-contrib asks for them."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """Render the position with all hands in ``render_mode`` (:mod:`cacao_env.envs.rendering`)."""
        self._require_started()
        return self._renderer.show(self.game)

    def close(self) -> None:
        """Close the window of mode "human"."""
        self._renderer.close()

    @property
    def game(self) -> Game:
        """A copy of the game with its history; it contains everything hidden."""
        self._require_started()
        return self.games.game(0)

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        self._require_started()
        return int(self.games.learners[0])

    def _mask(self) -> npt.NDArray[np.int8]:
        return self.games.action_masks[0].copy()

    def _observation(self) -> Any:
        return self._form.of(self.games.observations[0].copy(), self._mask())

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"seat": self.seat, "illegal_action": bool(self.games.forfeits[0])}
        if self._form.mask_in_info:
            info["action_mask"] = self._mask()
        over = self.games.ended
        if over[0] or self._fixed_infos:
            info |= {name: one[0].item() for name, one in self._results(over).items()}
        return info


class CacaoVectorEnv(_OneSeat, VectorEnv[Any, Any, Any]):
    """``num_envs`` games stepped together, like Gymnasium's vector environments.

    Only one thread may use them at a time; a call during another one raises RuntimeError.

    ``autoreset_mode`` says when a new game replaces a finished one.  It is a member of Gymnasium's
    ``AutoresetMode`` or its value, such as ``"NextStep"``, which a spec can save as JSON:

    - ``SAME_STEP``: a new game replaces a finished one in the same step.  Reward and termination belong
      to the episode that ended, observation and info to the new one.  ``infos["final_obs"]`` and
      ``infos["final_info"]`` have the end, and the masks ``_final_obs`` and ``_final_info`` mark these
      games.
    - ``NEXT_STEP``, for Gymnasium's wrappers of vector observations: a finished game shows its end,
      with a mask of zeros; the next step replaces it, ignores its action and gives no reward.
    - ``DISABLED``: a finished game shows its end until ``reset(options={"reset_mask": which})``
      replaces it.  A step before that raises ValueError.

    ``max_episode_steps`` truncates an episode after so many steps of the learner; by default none is.

    Observations are batched: (num_envs, observation_size) and (num_envs, num_actions), or with
    ``observation="planes"`` (num_envs, C, W, W) and (num_envs, F), views of one array.  With
    ``copy=True`` they are new arrays at every step; with ``copy=False`` each step overwrites
    the same ones, which is faster for learners that keep none of them.

    ``reset(seed=S)``, one integer for all games, repeats everything.  With a list of seeds each game
    begins the episode that :class:`CacaoEnv` begins with its seed.  ``options={"reset_mask": which}``,
    bool (num_envs,), begins new episodes in some games only.  Other keys are refused: a game to start
    from is an option of :class:`CacaoEnv` alone.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": VECTOR_MODES,
        "render_fps": 2,
    }

    @keywords_of(_OneSeat._begin, VersusGames, without=_OWN)
    def __init__(
        self,
        num_envs: int = 1,
        opponents: OpponentSpec = "random",
        *,
        copy: bool = True,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        **arguments: Any,
    ) -> None:
        given = getattr(autoreset_mode, "value", autoreset_mode)
        mode = check_choice("autoreset_mode", given, [one.value for one in AutoresetMode])
        self._mode = list(AutoresetMode)[mode]
        self.metadata = self.metadata | {"autoreset_mode": self._mode}
        self.num_envs, self._copy = as_int("num_envs", num_envs, 1), as_bool("copy", copy)
        self._begin(self.num_envs, opponents, VECTOR_MODES, **arguments)
        self.single_action_space = spaces.Discrete(self.games.action_masks.shape[1])
        self.single_observation_space = self._form.space()
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        limit = max_episode_steps
        self._limit = None if limit is None else as_int("max_episode_steps", limit, 1)
        self._steps = np.zeros(self.num_envs, np.int64)
        self._truncated = np.zeros(self.num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes; return (observations, infos)."""
        which = reset_options(options, ("reset_mask",)).get("reset_mask")
        if which is None:
            if isinstance(seed, list | tuple | np.ndarray):
                self._reset_each(seed)
            else:
                super().reset(seed=None if seed is None else as_seed(seed))
                self._reset_games(self.np_random)
            self._started, mask = True, self._every
        else:
            self._require_started()
            mask = as_flags("reset_mask", which, self.num_envs)
            if seed is not None:
                raise ValueError(f"seed is {seed!r}, expected None with a reset_mask")
            self.games.deal(mask)
        self._steps[mask], self._truncated[mask] = 0, False
        return self._observations(), self._infos()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play in every game; return (observations, rewards, terminations, truncations, infos).

        ``actions``: integers, (num_envs,).  ValueError for a wrong shape or type, and with
        ``illegal="raise"`` for an illegal action, naming game, seat and action; no game advances then.
        """
        self._require_started()
        games, mode = self.games, self._mode
        if mode == AutoresetMode.DISABLED and games.ended.any():
            raise ValueError(
                f"game {int(games.ended.argmax())} is over: call reset(options={{'reset_mask': ...}})"
            )
        played, over = games.learners.copy(), games.ended.copy()
        games.step(actions, deal=mode == AutoresetMode.SAME_STEP)
        rewards, dones = games.rewards.astype(np.float64), games.dones.copy()
        if self._limit is not None:
            self._steps = np.where(over, 0, self._steps + 1)
            self._truncated = (self._steps >= self._limit) & ~dones
            if mode == AutoresetMode.SAME_STEP:
                self._steps[dones | self._truncated] = 0
            if self._truncated.any():
                self._truncate()
        infos = self._infos()
        if (dones | self._truncated).any() and mode == AutoresetMode.SAME_STEP:
            self._add_final(infos, played, dones)
        return self._observations(), rewards, dones, self._truncated.copy(), infos

    def _truncate(self) -> None:
        """End the truncated games; in mode SAME_STEP new ones replace them at once."""
        games, which = self.games, self._truncated
        if self._mode == AutoresetMode.SAME_STEP:
            games.final_observations[which] = games.observations[which]
            games.final_win_shares[which], games.final_scores[which] = 0, 0
            games.deal(which)
        else:
            games.truncate(which)

    def _reset_each(self, seeds: Sequence[int | None] | npt.NDArray[Any]) -> None:
        """Deal each game as ``CacaoEnv.reset(seed=...)`` does with its seed."""
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed has {len(seeds)} seeds, expected {self.num_envs}")
        draws = [np_random(None if one is None else as_seed(one))[0] for one in seeds]
        both = [
            (int(one.integers(2**63)), int(one.integers(self.games.num_players))) for one in draws
        ]
        self.games.reset(*zip(*both))

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions of every game's learner, bool, (num_envs, num_actions)."""
        masks = self.games.action_masks.view(np.bool_)
        return masks.copy() if self._copy else masks

    def render(self) -> tuple[Any, ...] | None:
        """Render every game's position as ``render_mode`` says; there is no window for many games."""
        self._require_started()
        return tuple(self._renderer.show(self.games.game(g)) for g in range(self.num_envs))

    def _observations(self) -> Any:
        masks = self.games.action_masks
        return self._form.of(
            self._out(self.games.observations),
            self._out(masks) if self._form.mask_in_observation else masks,
        )

    def _out(self, buffer: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return buffer.copy() if self._copy else buffer

    def _infos(self) -> dict[str, Any]:
        games, over = self.games, self.games.ended
        infos = {"seat": games.learners.copy(), "illegal_action": games.forfeits & over}
        if self._form.mask_in_info:
            infos["action_mask"] = self._out(self.games.action_masks)
        infos |= {f"_{name}": self._every.copy() for name in infos}
        over = over & ~self._truncated
        if over.any() or self._fixed_infos:
            results = self._results(over)
            which = self._every if self._fixed_infos else over
            infos |= results | {f"_{name}": which.copy() for name in results}
        return infos

    def _add_final(
        self, infos: dict[str, Any], played: npt.NDArray[np.int64], dones: npt.NDArray[np.bool_]
    ) -> None:
        """Write the ends of finished games into the infos, like Gymnasium's own vector environments."""
        games, over = self.games, dones | self._truncated
        final: dict[str, Any] = {
            "seat": np.where(over, played, 0),
            "illegal_action": games.forfeits.copy(),
            **self._results(dones),
        }
        no_mask = np.zeros(games.action_masks.shape[1], np.int8)
        if self._form.mask_in_info:
            final["action_mask"] = np.zeros_like(games.action_masks)
        ends = np.full(self.num_envs, None, object)
        for g in np.flatnonzero(over):
            ends[g] = self._form.of(games.final_observations[g].copy(), no_mask.copy())
        infos["final_obs"], infos["_final_obs"] = ends, over
        infos["final_info"] = {**final, **{f"_{name}": over.copy() for name in final}}
        infos["_final_info"] = over.copy()
