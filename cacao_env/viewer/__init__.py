"""A local web page: watch, replay and play games, and see what an agent thinks."""
