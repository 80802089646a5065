"""Adapters to Stable-Baselines3 and sb3-contrib."""
