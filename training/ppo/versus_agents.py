"""One seat against any agent, many games at once: what an exploiter is trained in.

``cacao_env.envs.versus.VersusGames`` plays its opponents in compiled code and knows only bots; here the
other seats ask an :class:`~cacao_env.agents.registry.Agent`, for all games at once.  The attributes are the
same, so :class:`~training.sb3.vec_env.CacaoVecEnv` takes either.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cacao_env import Game
from cacao_env.agents.agent import Agent
from cacao_env.engine.actions import num_actions
from cacao_env.engine.observation import observation_size, scale
from cacao_env.engine.options import check_choice, check_options
from cacao_env.engine.rewards import REWARDS, Reward, rewards_into
from cacao_env.engine.tiles import MAX_PLAYERS


class VersusAgents:
    """N games in which the caller plays one seat, in rotation, and copies of an agent the others.

    Attributes, overwritten in place by each call: ``observations``, ``action_masks``, ``rewards``,
    ``dones``, ``final_observations``, ``final_scores`` and ``learners``, as ``VersusGames`` has them.
    """

    def __init__(
        self,
        num_games: int,
        opponent: Agent,
        num_players: int = 2,
        volcanoes: bool = False,
        table_size: int | None = None,
        reward: Reward = "outcome",
        seed: int | None = None,
    ) -> None:
        if num_games < 1:
            raise ValueError(f"num_games is {num_games!r}, expected at least 1")
        self._mode = check_choice("reward", reward, REWARDS)
        players, _, size = check_options(num_players, "auto", table_size)
        opponent.check(players, volcanoes)
        self.num_games, self.num_players, self.table_size = num_games, players, size
        self._opponent, self._volcanoes = opponent, volcanoes
        self.observations = np.zeros((num_games, observation_size(players, size)), np.float32)
        self.final_observations = np.zeros_like(self.observations)
        self.action_masks = np.zeros((num_games, int(num_actions(size))), np.int8)
        self.rewards = np.zeros(num_games, np.float32)
        self.dones = np.zeros(num_games, np.bool_)
        self.final_scores = np.zeros((num_games, 2), np.int64)
        self.learners = np.zeros(num_games, np.int64)
        self._factors = scale(players, size)
        self._potentials = np.zeros((num_games, MAX_PLAYERS))
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Deal all games anew; learners sit in every seat in turn."""
        self._rng = np.random.default_rng(seed)
        self.learners[:] = np.arange(self.num_games) % self.num_players
        self._games: list[Game] = [None] * self.num_games  # type: ignore[list-item]
        self._kept: list[list[Any]] = [[] for _ in range(self.num_games)]
        self._begin(range(self.num_games))
        self._look()

    def step(self, chosen: npt.NDArray[Any]) -> None:
        """The learners' decisions, legal action ids of shape (N,), and all that follows.

        ValueError naming the game if an action is illegal; then no game has advanced.
        """
        chosen = np.asarray(chosen, np.int64)
        if chosen.shape != (self.num_games,):
            raise ValueError(f"actions have shape {chosen.shape}, expected ({self.num_games},)")
        for g, action in enumerate(chosen):
            known = 0 <= action < self.action_masks.shape[1]
            if not known or not self.action_masks[g, action]:
                game = self._games[g]
                raise ValueError(f"game {g}, seat {game.seat}: {game.why_illegal(int(action))}")
        for game, action in zip(self._games, chosen.tolist(), strict=True):
            game.play(action)
        self._play_others(range(self.num_games))
        self._reward()
        finished = np.flatnonzero(self.dones).tolist()
        for g in finished:
            own = int(self.learners[g])
            self._observe(g, self.final_observations[g])
            scores = self._games[g].scores()
            self.final_scores[g] = scores[own], max(s for i, s in enumerate(scores) if i != own)
            self.learners[g] = (own + 1) % self.num_players
        self._begin(finished)
        self._look()

    def _begin(self, numbers: Any) -> None:
        """Deal games and play them up to their learners' first decisions."""
        for g in numbers:
            deal, *seeds = self._rng.integers(2**63, size=1 + self.num_players).tolist()
            game = Game.new(self.num_players, deal, self._volcanoes, table_size=self.table_size)
            self._games[g] = game
            self._kept[g] = [self._opponent.begin(seed) for seed in seeds]
            self._potentials[g] = 0
        self._play_others(numbers)

    def _play_others(self, numbers: Any) -> None:
        """Let the opponents decide until each game's learner does or the game is over."""
        while True:
            turn = [
                (self._games[g], self._kept[g])
                for g in numbers
                if not self._games[g].over and self._games[g].seat != self.learners[g]
            ]
            if not turn:
                return
            kept = [kept[game.seat] for game, kept in turn if game.seat is not None]
            actions = self._opponent.act([game for game, _ in turn], kept)
            for (game, _), action in zip(turn, actions, strict=True):
                game.play(action)

    def _reward(self) -> None:
        """Each learner's reward for all that happened since its last decision."""
        scores, wins = np.zeros((2, MAX_PLAYERS), np.int64)
        each = np.zeros(MAX_PLAYERS)
        for g, game in enumerate(self._games):
            rewards_into(game.state, self._mode, self._potentials[g], scores, wins, each)
            self.rewards[g] = each[self.learners[g]]
            self.dones[g] = game.over

    def _look(self) -> None:
        for g, game in enumerate(self._games):
            self._observe(g, self.observations[g])
            self.action_masks[g] = game.action_mask()

    def _observe(self, g: int, out: npt.NDArray[np.float32]) -> None:
        """Write what game ``g``'s learner sees."""
        np.multiply(self._games[g].observation(int(self.learners[g])), self._factors, out=out)
