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
from .registry import ALL as _ALL
from .registry import register as _register

__version__ = "0.1.0"

__all__ = ["Game", "__version__"]


for _word in ("random", "greedy", "mc"):
    _register(_word, "cacao_env.agents.bots:load_bot")
_register("llm", "cacao_env.text.llm:load_model")
_register(_ALL, "cacao_env.agents.loading:load")

# Both libraries import an environment when somebody makes it.
_tasks.register(gymnasium.register, gymnasium.registry)
# PettingZoo has a registry from 1.27 on.  Its ids are written name_v0 and looked up as name-v0.
if "cacao_env/cacao-v0" not in getattr(pettingzoo, "aec_registry", ("cacao_env/cacao-v0",)):
    pettingzoo.register("aec", "cacao_env/cacao_v0", entry_point="cacao_env.envs.aec:env")
