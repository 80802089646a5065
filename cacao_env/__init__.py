"""Cacao: a reinforcement-learning environment for the board game (2 to 4 players).

>>> from cacao_env import Game
>>> game = Game.new(num_players=2, seed=0)
>>> game.play(game.legal_actions()[0])
>>> game.ply
1
"""

import gymnasium

from .game import Game

__version__ = "0.1.0"

__all__ = ["Game", "__version__"]


def _register() -> None:
    """Register the environment with Gymnasium, which imports it when it makes one."""
    name = "cacao_env/Cacao-v0"
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point="cacao_env.envs.gym:CacaoEnv",
            vector_entry_point="cacao_env.envs.gym:CacaoVectorEnv",
        )


_register()
