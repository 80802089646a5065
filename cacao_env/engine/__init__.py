"""The game: tiles, state, rules, actions, observations.  It knows nothing of learning."""
