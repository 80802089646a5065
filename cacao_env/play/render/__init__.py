"""Pictures of a game: text, SVG, pixels, a window."""
