"""Agents that choose by a network's values of the positions after a turn."""
