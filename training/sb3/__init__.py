"""MaskablePPO by Stable-Baselines3 and sb3-contrib."""
