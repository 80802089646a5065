"""TextArena: four players, each of whom sees its own positions."""

import textarena as ta

import cacao_env.text.textarena  # noqa: F401  # registers Cacao-v0
from cacao_env.check.examples.stand_in import reply

env = ta.make("Cacao-v0")
env.reset(num_players=4, seed=1)
done = False
while not done:
    player, observation = env.get_observation()
    done, info = env.step(action=reply(observation))
rewards, about = env.close()
assert abs(sum(rewards.values())) < 1e-9
print("rewards:", rewards)
