"""RLlib: all seats learn by PPO with masked actions, on the current API."""

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from cacao_env import cacao_v0


class Masked(TorchRLModule, ValueFunctionAPI):
    """Two linear layers; illegal actions have probability 0."""

    def setup(self):
        """Make the layers."""
        length = self.observation_space["observation"].shape[0]
        self.body = torch.nn.Sequential(torch.nn.Linear(length, 32), torch.nn.ReLU())
        self.logits = torch.nn.Linear(32, int(self.action_space.n))
        self.value = torch.nn.Linear(32, 1)

    def _forward(self, batch, **more):
        seen = batch[Columns.OBS]
        logits = self.logits(self.body(seen["observation"]))
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, -1e9)}

    def compute_values(self, batch, embeddings=None):
        """Return the values of the deciding seats."""
        return self.value(self.body(batch[Columns.OBS]["observation"])).squeeze(1)


def main():
    """Two rounds of self-play; an illegal action would end them: raw_env refuses it."""
    register_env("cacao", lambda options: PettingZooEnv(cacao_v0.raw_env(**options)))
    modules = MultiRLModuleSpec(rl_module_specs={"shared": RLModuleSpec(module_class=Masked)})
    config = (
        PPOConfig()
        .environment(
            "cacao",
            env_config={"num_players": 2, "table_size": 15},
            disable_env_checking=True,  # the check plays illegal actions
        )
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *given, **more: "shared")
        .rl_module(rl_module_spec=modules)
        .env_runners(num_env_runners=1, num_envs_per_env_runner=2, rollout_fragment_length=64)
        .training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=1, gamma=1.0)
    )
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    algorithm = config.build_algo()
    for _ in range(2):
        found = algorithm.train()
        print("sampled", found["num_env_steps_sampled_lifetime"], "decisions")
    assert found["learners"]["shared"]["entropy"] > 0
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
