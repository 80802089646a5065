"""What a seat sees of a position, as plain data, and pictures of it: text, SVG, pixels, a window."""
