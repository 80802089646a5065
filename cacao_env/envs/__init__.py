"""Environments: the game with the interfaces of reinforcement-learning libraries."""
