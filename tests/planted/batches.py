"""Planted bugs: batches."""

from __future__ import annotations

from .harness import Bug

BATCH = ("tests/test_threads.py", "-k")
SHARES = (*BATCH, "one_share")
THREADS = (*BATCH, "threads_changes or its_own")
SKIPS = (*BATCH, "by_hand or add_up")
REFUSALS = (*BATCH, "illegal")
EQUIVALENCE = ("tests/test_equivalence.py", "-k", "batch and 2-True-auto")
POLICY = ("tests/test_versus_agents.py",)
KEEPING = ("tests/test_serialization.py",)

BUGS = [
    Bug(
        "a batch's shares leave a game out",
        "cacao_env/envs/threads.py:Workers.__init__",
        "slice(first, last) for",
        "slice(first + (first > 0), last) for",
        SHARES,
    ),
    Bug(
        "a batch's share is given whole arrays",
        "cacao_env/envs/threads.py:_cut",
        "return argument[share] if",
        "return argument if",
        SHARES,
    ),
    Bug(
        "a batch deals with the random numbers of each share's first game",
        "cacao_env/envs/vector.py:_step_all",
        "_finish(state, rngs[g : g + 1], scores",
        "_finish(state, rngs[0:1], scores",
        THREADS,
    ),
    Bug(
        "a batch samples with the random numbers of each share's first game",
        "cacao_env/envs/vector.py:_sample_all",
        "chosen[g] = sample(states[g], rngs[g : g + 1])",
        "chosen[g] = sample(states[g], rngs[0:1])",
        THREADS,
    ),
    Bug(
        "a batch's opponents draw the random numbers of their neighbour",
        "cacao_env/envs/opponents.py:play_compiled",
        "        rng = rngs[g : g + 1]\n        while",
        "        rng = rngs[max(0, g - 1) : max(1, g)]\n        while",
        SKIPS,
    ),
    Bug(
        "a batch with threads steps one share before it has asked another",
        "cacao_env/envs/vector.py:VectorGames.step",
        "if self._workers.several:",
        "if False:",
        REFUSALS,
    ),
    Bug(
        "a batch asks its first game only whether its action is legal",
        "cacao_env/envs/vector.py:_step_all",
        "wrong = first_illegal(states, chosen)",
        "wrong = first_illegal(states[:1], chosen)",
        REFUSALS,
    ),
    Bug(
        "a batch names a refused game by its place in the share",
        "cacao_env/envs/vector.py:VectorGames._refuse",
        "share.start + number",
        "number",
        REFUSALS,
    ),
    Bug(
        "a batch skips one decision too far",
        "cacao_env/envs/opponents.py:play_compiled",
        "        while kinds[g] < NUM_COMPILED and state.phase != OVER and state.seat != learners[g]:",
        "        if kinds[g] < NUM_COMPILED and state.phase != OVER and state.seat == learners[g]:\n            step(state, sample(state, rng))\n        while kinds[g] < NUM_COMPILED and state.phase != OVER and state.seat != learners[g]:",
        SKIPS,
    ),
    Bug(
        "a batch's greedy opponents play at random",
        "cacao_env/envs/opponents.py:play_compiled",
        "if kinds[g] == GREEDY:",
        "if kinds[g] == 0:",
        SKIPS,
    ),
    Bug(
        "a batch forgets what a seat earned before others played",
        "cacao_env/envs/versus.py:_reward",
        "rewards[g] = worst - before if forfeits[g] else each[learner]",
        "rewards[g] = worst - before if forfeits[g] else each[learner] * (dones[g] == 0)",
        SKIPS,
    ),
    Bug(
        "a batch counts a new game's opening to the game before",
        "cacao_env/envs/versus.py:_reward",
        "            potentials[g, :] = 0\n",
        "            potentials[g, 1:] = 0\n",
        SKIPS,
    ),
    Bug(
        "a batch's final scores are of the game after",
        "cacao_env/envs/vector.py:_finish",
        "        final[seat] = scores[seat]\n    potentials[:] = 0\n    deal(state, rng)",
        "        pass\n    potentials[:] = 0\n    deal(state, rng)\n    for seat in range(state.num_players):\n        final[seat] = state.gold[seat]",
        EQUIVALENCE,
    ),
    Bug(
        "a batch shows the mask of the game that is over",
        "cacao_env/envs/vector.py:_step_all",
        "if looking:  # at once",
        "if looking and not terminations[g]:  # at once",
        EQUIVALENCE,
    ),
    Bug(
        "a batch measures a new game's shaped reward from the end of the last",
        "cacao_env/envs/vector.py:_finish",
        "    potentials[:] = 0\n    deal",
        "    deal",
        EQUIVALENCE,
    ),
    Bug(
        "a batch names the seat whose turn it is, not the deciding seat",
        "cacao_env/envs/vector.py:_look",
        "seat[0] = state.seat",
        "seat[0] = state.active",
        EQUIVALENCE,
    ),
    Bug(
        "a batch keeps every sample",
        "cacao_env/envs/vector.py:VectorGames.sample",
        "        return self._chosen\n",
        '        self.__dict__.setdefault("kept", []).append(self._chosen.copy())\n        return self._chosen\n',
        (*BATCH, "memory and sample"),
    ),
    Bug(
        "a batch makes new observations at every step",
        "cacao_env/envs/vector.py:VectorGames.step",
        "        self._refuse(refused)\n",
        "        self._refuse(refused)\n        self.observations = self.observations.copy()\n",
        (*BATCH, "memory and step"),
    ),
    Bug(
        "a number beyond 64 bits becomes another action",
        "cacao_env/envs/vector.py:as_actions",
        "if too_large is not None and too_large.any():",
        "if False:",
        (*BATCH, "wrong_shape"),
    ),
    Bug(
        "a policy sees what the learner sees",
        "cacao_env/envs/versus.py:VersusGames._ask",
        "seen.append(game.determinise(seat, self.rngs[g : g + 1]))",
        "seen.append(Game(self.states[:1], []))",
        POLICY,
    ),
    Bug(
        "a policy plays for the learner, too",
        "cacao_env/envs/opponents.py:waiting",
        "if states[g].phase != OVER and states[g].seat != learners[g]:\n            numbers",
        "if states[g].phase != OVER and (count < 1 or states[g].seat != learners[g]):\n            numbers",
        POLICY,
    ),
    Bug(
        "a policy's actions go to the first games",
        "cacao_env/envs/versus.py:VersusGames._ask",
        "zip(numbers, games, agent.act(seen, memory), strict=True)",
        "zip(numbers, games, agent.act(seen, memory)[::-1], strict=True)",
        POLICY,
    ),
    Bug(
        "a policy has all games or none",
        "cacao_env/envs/opponents.py:Opponents.__init__",
        "        self.probabilities = np.array(weights) / sum(weights)",
        "        self.probabilities = np.round(np.array(weights) / sum(weights))",
        POLICY,
    ),
    Bug(
        "a policy's illegal action is played",
        "cacao_env/envs/versus.py:VersusGames._ask",
        "                game.play(as_action(action))\n",
        "                game.play(as_action(game.legal_actions()[0]))\n",
        POLICY,
    ),
    Bug(
        "saved games forget their random numbers",
        "cacao_env/envs/versus.py",
        '    *("rngs", "learners",',
        '    *("learners",',
        KEEPING,
    ),
    Bug(
        "saved games forget what their shaped rewards are measured from",
        "cacao_env/envs/vector.py",
        '"_samplers", "_potentials", ',
        '"_samplers", ',
        KEEPING,
    ),
    Bug(
        "saved games are views of the games",
        "cacao_env/engine/saving.py:arrays_of",
        "getattr(games, name).copy() for",
        "getattr(games, name) for",
        KEEPING,
    ),
    Bug(
        "saved games of other rules are restored",
        "cacao_env/engine/saving.py:restore_arrays",
        "if (states[name] != games.states[name]).any():",
        "if False:",
        KEEPING,
    ),
    Bug(
        "saved games that are refused are restored in part",
        "cacao_env/engine/saving.py:restore_arrays",
        "    states = np.asc",
        '    games.rngs[...] = arrays["rngs"]\n    states = np.asc',
        KEEPING,
    ),
]
