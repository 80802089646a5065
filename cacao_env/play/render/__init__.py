"""Pictures of a game: text, SVG, pixels, films, a window."""
