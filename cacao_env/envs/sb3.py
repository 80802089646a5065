"""The batched environment as a Stable-Baselines3 ``VecEnv``."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from ..checks import OwnArrays, check_array
from ..greedy.candidates import ObservationForm, as_candidates
from ..views import Form
from .versus import VersusGames

KEPT = 100_000  # results of finished games


class CacaoVecEnv(OwnArrays, VecEnv):
    """``VersusGames`` as a ``VecEnv``; masks come through ``env_method("action_masks")``.

    ``observation``: ``"flat"``, or ``"planes"`` for a policy of dicts (:mod:`.observations`);
    games with the candidate view show rows.
    A finished game's info has SB3's ``terminal_observation``, ``TimeLimit.truncated`` (never) and
    ``episode`` (reward, length), and ``final_scores``, the learner's and the best other.
    """

    def __init__(self, games: VersusGames, observation: ObservationForm = "flat") -> None:
        if as_candidates(observation) not in (None, games.candidates) or (
            games.candidates is not None and observation == "planes"
        ):
            raise ValueError(
                f"observation is {observation!r}, but the games show "
                f"{games.candidates or 'no candidates'}"
            )
        dtype: Any = games.observations.dtype.name
        self._form = Form(games.options, games.candidates or observation, dtype, mask_in="info")
        super().__init__(
            games.num_games, self._form.space(), spaces.Discrete(games.action_masks.shape[1])
        )
        self.games = games
        self.seconds = 0.0  # spent in the games so far, opponents included
        self._ended: deque[tuple[float, float]] = deque(maxlen=KEPT)
        self._returns = np.zeros(games.num_games)
        self._lengths = np.zeros(games.num_games, np.int64)
        self._chosen: np.ndarray[Any, Any] | None = None
        # Further deals follow from those of the games, or from the seed given last.
        self._rng = np.random.default_rng(games.rngs.tolist() if games.rngs.any() else None)

    def reset(self) -> Any:
        """Deal all games, from the seed given to ``seed``; else go on with other deals."""
        seed = self._seeds[0]
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.games.reset(int(self._rng.integers(2**63)) if seed is None else seed)
        self._reset_seeds()
        self._returns[:] = 0
        self._lengths[:] = 0
        return self._seen(self.games.observations)

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Refuse options of ``reset``: the games have none."""
        if any([options] if isinstance(options, dict) else options or ()):
            raise ValueError(f"options of reset are {options!r}, expected none")

    def _seen(self, observations: np.ndarray[Any, Any]) -> Any:
        """Copy observations into the form asked for."""
        return self._form.of(observations.copy(), self.games.action_masks)

    def step_async(self, actions: np.ndarray[Any, Any]) -> None:
        """Take the actions of the next step."""
        self._chosen = actions

    def step_wait(self) -> Any:
        """Step all games; returns observations, rewards, dones, infos."""
        games, begin = self.games, time.perf_counter()
        games.step(self._chosen)  # type: ignore[arg-type]
        self.seconds += time.perf_counter() - begin
        self._returns += games.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for g in np.flatnonzero(games.dones):
            own, other = games.final_scores[g].tolist()
            self._ended.append((float(games.final_win_shares[g]), own - other))
            infos[g] = {
                "episode": {"r": float(self._returns[g]), "l": int(self._lengths[g]), "t": 0.0},
                "final_scores": [own, other],
                "terminal_observation": self._seen(games.final_observations[g]),
                "TimeLimit.truncated": False,
            }
            self._returns[g] = self._lengths[g] = 0
        return self._seen(games.observations), games.rewards.copy(), games.dones.copy(), infos

    def take_ended(self) -> list[tuple[float, float]]:
        """(win share, margin) of the games that have ended since the last call, at most KEPT."""
        ended = list(self._ended)
        self._ended.clear()
        return ended

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Returns and lengths of the unfinished episodes; the games save themselves."""
        return {"returns": self._returns.copy(), "lengths": self._lengths.copy()}

    def restore(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Resume from what ``arrays`` returned; ValueError for anything else."""
        for name, array in self.arrays().items():
            check_array(name, arrays.get(name), array)
        self._returns[:], self._lengths[:] = arrays["returns"], arrays["lengths"]

    def action_masks(self) -> np.ndarray[Any, Any]:
        """Legal actions of every game's learner, bool (N, num_actions): the games' own buffer."""
        return self.games.action_masks.view(np.bool_)

    def close(self) -> None:
        """Nothing to release."""

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No game is wrapped in anything."""
        return [False for _ in self._get_indices(indices)]

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> Any:
        """Call ``action_masks``, the only method.

        Its rows are the games' own buffer, which the next step overwrites; sb3-contrib copies them.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the games have no method {method_name!r}")
        masks = self.action_masks()
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def has_attr(self, attr_name: str) -> bool:
        """Whether sb3-contrib will find masks here."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """``render_mode`` is None for all games."""
        if attr_name != "render_mode":
            raise AttributeError(f"the games have no attribute {attr_name!r}")
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Games have nothing to set."""
        raise AttributeError(f"the games have no attribute {attr_name!r}")

    def _get_indices(self, indices: Any) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return np.atleast_1d(indices).tolist()
