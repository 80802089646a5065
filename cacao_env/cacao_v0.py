"""The PettingZoo environment, where PettingZoo's users look for it: :mod:`cacao_env.envs.aec`."""

from .envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
