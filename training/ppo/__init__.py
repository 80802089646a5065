"""Policy gradients: the board network, rollouts, PPO and the configurations."""
