"""Cacao: a reinforcement-learning environment for the board game (2 to 4 players)."""

from .game import Game

__version__ = "0.1.0"
__all__ = ["Game", "__version__"]
