"""Planted bugs: conventions of the environments, and the named tasks."""

from __future__ import annotations

from .harness import Bug

FORMS = ("tests/test_forms.py",)
TASKS = ("tests/test_tasks.py",)

BUGS = [
    Bug(
        "forms: features begin in the board",
        "cacao_env/engine/observation.py:planes",
        "observation[..., board.stop :]",
        "observation[..., board.stop - 1 : -1]",
        (*FORMS, "-k", "planes_are_views"),
        interpreted=True,
    ),
    Bug(
        "forms: planes of a batch are copies",
        "cacao_env/envs/forms.py:Form.of",
        "parts = planes(vector, *self._size)",
        "parts = planes(vector.copy(), *self._size)",
        (*FORMS, "-k", "views_of_its_buffer"),
    ),
    Bug(
        "forms: raw planes look like a picture",
        "cacao_env/envs/forms.py:Form._highs",
        "if self.dtype != np.uint8:\n            return np.ones(self.vector.shape, self.dtype)",
        "if True:\n            return self.vector.high",
        (*FORMS, "-k", "picture"),
    ),
    Bug(
        "forms: an illegal action needs a mask in the planes",
        "cacao_env/envs/aec.py:_TerminateIllegal.observe",
        "self._prev_obs = ()",
        "pass",
        (*FORMS, "-k", "without_a_mask"),
    ),
    Bug(
        "forms: the state is what one seat sees, again and again",
        "cacao_env/envs/aec.py:raw_env.state",
        "self._look(agent)[0]",
        "self._look(self.agent_selection)[0]",
        (*FORMS, "-k", "all_seats_see"),
    ),
    Bug(
        "forms: the environment says that it is parallelizable",
        "cacao_env/envs/aec.py:raw_env",
        '"is_parallelizable": False',
        '"is_parallelizable": True',
        (*FORMS, "-k", "converter"),
    ),
    Bug(
        "forms: the best other score may be the own one",
        "cacao_env/envs/aec.py:raw_env._add_results",
        " if i != seat",
        "",
        (*FORMS, "-k", "have_the_result"),
    ),
    Bug(
        "forms: a forfeited game can be won",
        "cacao_env/envs/versus.py:_reward",
        "0.0 if forfeits[g] else win_shares[learner]",
        "win_shares[learner]",
        (*FORMS, "-k", "forfeited"),
    ),
    Bug(
        "forms: any option of reset is taken",
        "cacao_env/envs/forms.py:reset_options",
        "if key not in (*known, *ignored):",
        "if not key:",
        (*FORMS, "-k", "unknown_options"),
    ),
    Bug(
        "forms: an episode plays on in the caller's game",
        "cacao_env/envs/forms.py:as_position",
        "return game.clone()",
        "return game",
        (*FORMS, "-k", "pettingzoo_game_starts"),
    ),
    Bug(
        "forms: a finished game is a start",
        "cacao_env/envs/forms.py:as_position",
        "if game.over:",
        "if False:",
        (*FORMS, "-k", "does_not_fit"),
    ),
    Bug(
        "forms: a position's lead is paid in PettingZoo",
        "cacao_env/envs/aec.py:raw_env.reset",
        "            potentials_into(game.state, self._step_rewards[1])\n",
        "            self._step_rewards[:] = 0\n",
        (*FORMS, "-k", "pettingzoo_game_starts"),
    ),
    Bug(
        "forms: a position's lead is paid in Gymnasium",
        "cacao_env/envs/versus.py:VersusGames.start",
        "        potentials_into(game.state, self._potentials[number])\n",
        "        self._potentials[number] = 0\n",
        (*FORMS, "-k", "gymnasium_episode_starts"),
    ),
    Bug(
        "forms: a position's learner leaves its fixed seat",
        "cacao_env/envs/versus.py:VersusGames.start",
        "decider(game) if self.seat is None else self.seat",
        "decider(game)",
        (*FORMS, "-k", "gymnasium_episode_starts"),
    ),
    Bug(
        "forms: an episode starts at its end",
        "cacao_env/envs/versus.py:VersusGames.start",
        "if self.states[number].phase == OVER:",
        "if False:",
        (*FORMS, "-k", "without_a_decision"),
    ),
    Bug(
        "tasks: the reward may be chosen",
        "cacao_env/envs/tasks.py:_maker",
        "if name not in FREE:",
        'if name not in (*FREE, "reward"):',
        (*TASKS, "-k", "refuses"),
    ),
    Bug(
        "tasks: the learner's seat is fixed",
        "cacao_env/envs/tasks.py:Task.arguments",
        '"seat": None',
        '"seat": 0',
        (*TASKS, "-k", "one_by_one"),
    ),
    Bug(
        "tasks: the game of four is one of three",
        "cacao_env/envs/tasks.py",
        "Options(4)",
        "Options(3)",
        (*TASKS, "-k", "same_as_ever"),
    ),
    Bug(
        "tasks: a batch is a single game",
        "cacao_env/envs/tasks.py:_maker",
        "CacaoVectorEnv if vector else CacaoEnv",
        "CacaoEnv",
        (*TASKS, "-k", "one_by_one"),
    ),
    Bug(
        "tasks: an agent sees the true deal",
        "cacao_env/evaluation/tasks.py:play_task",
        "envs[i].game.determinise(envs[i].seat, seeds[i])",
        "envs[i].game",
        (*TASKS, "-k", "true_deal"),
    ),
    Bug(
        "tasks: all deals are the first one",
        "cacao_env/evaluation/tasks.py:play_task",
        "env.reset(seed=seed)",
        "env.reset(seed=SEED)",
        (*TASKS, "-k", "of_their_seeds"),
    ),
    Bug(
        "tasks: the command begins again",
        "cacao_env/evaluation/tasks.py:measure_tasks",
        "range(len(row.in_order()), deals",
        "range(0, deals",
        (*TASKS, "-k", "resumes"),
    ),
    Bug(
        "tasks: half a line stays in the file",
        "cacao_env/evaluation/tasks.py:_stored",
        "if whole != text:",
        "if False:",
        (*TASKS, "-k", "resumes"),
    ),
]
