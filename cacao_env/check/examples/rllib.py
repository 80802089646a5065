"""RLlib: all seats learn by PPO with masked actions, on the current API."""

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from training.rllib.env import CacaoTable
from training.rllib.module import CellModule

rules = {"num_players": 2, "table_size": 15}
module = RLModuleSpec(module_class=CellModule, model_config={**rules, "width": 16})
config = (
    PPOConfig()
    .environment(CacaoTable, env_config=rules, disable_env_checking=True)
    .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **more: "shared")
    .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
    .env_runners(num_env_runners=1, num_envs_per_env_runner=2, rollout_fragment_length=64)
    .training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=1, gamma=1.0)
)
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
algorithm = config.build_algo()
for _ in range(2):
    found = algorithm.train()  # an illegal action would end it: raw_env refuses them
    print("sampled", found["num_env_steps_sampled_lifetime"], "decisions")
assert found["learners"]["shared"]["entropy"] > 0
algorithm.stop()
ray.shutdown()
