"""Agents that choose by what a network expects of the position after a turn."""
