"""OpenSpiel: a registered game with chance nodes; its own simulation test; its IS-MCTS plays a game."""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from cacao_env.envs.open_spiel import resampler  # registers python_cacao

for name in ("python_cacao", "python_cacao(players=4,volcanoes=True,table_size=15)"):
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
print("random_sim_test passes")

game = pyspiel.load_game("python_cacao(players=3,table_size=15)")
random = np.random.RandomState(0)
bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, random), 2.0, 4, random_state=random)
bot.set_resampler(resampler(seed=0))
state = game.new_initial_state()
while not state.is_terminal():
    if state.is_chance_node():
        outcomes, probabilities = zip(*state.chance_outcomes())
        state.apply_action(int(random.choice(outcomes, p=probabilities)))
    else:
        assert len(state.information_state_tensor()) == game.information_state_tensor_size()
        state.apply_action(int(bot.step(state)))
assert abs(sum(state.returns())) < 1e-9
print("IS-MCTS played a game:", state.returns())
