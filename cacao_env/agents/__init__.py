"""Agents: everything that plays the game."""
