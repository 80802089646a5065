"""Pictures of a game."""
