"""Environments: the game as reinforcement-learning libraries ask for it."""
