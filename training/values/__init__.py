"""Learning what positions after a turn are worth: games, network, learner."""
