"""Learning by policy gradients: network, distribution, games for Stable-Baselines3."""
