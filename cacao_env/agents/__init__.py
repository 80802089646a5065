"""Agents: what plays the game."""
