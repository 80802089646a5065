"""Cacao: a reinforcement-learning environment for the board game (2 to 4 players).

>>> from cacao_env import Game
>>> game = Game.new(num_players=2, seed=0)
>>> game.play(game.legal_actions()[0])
>>> game.ply
1
"""

import gymnasium
import pettingzoo

from .envs import tasks as _tasks
from .game import Game

__version__ = "0.1.0"

__all__ = ["Game", "__version__"]


# Both libraries import an environment when somebody makes it.
_tasks.register(gymnasium.register, gymnasium.registry)
# PettingZoo has a registry from 1.27 on.  Its ids are written name_v0 and looked up as name-v0.
if "cacao_env/cacao-v0" not in getattr(pettingzoo, "aec_registry", ("cacao_env/cacao-v0",)):
    pettingzoo.register("aec", "cacao_env/cacao_v0", entry_point="cacao_env.envs.aec:env")
