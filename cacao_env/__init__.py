"""Cacao: a reinforcement-learning environment for the board game (2 to 4 players).

>>> from cacao_env import Game
>>> game = Game.new(num_players=2, seed=0)
>>> game.play(game.legal_actions()[0])
>>> game.ply
1
"""

import gymnasium

from .engine.jit import compile_once
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


def _compile() -> None:
    """Compile what :class:`Game` calls, by playing a game."""
    game = Game.new(seed=0, decisions="explicit")
    while not game.over:
        action = int(game.legal_actions()[0])
        game.play(game.action(game.text(action)))
    game.elementary_moves()
    game.undo()
    game.determinise(0, 0).observation(0)
    game.action_mask()
    game.leaders()
    str(game)


_register()
compile_once("game", _compile)
