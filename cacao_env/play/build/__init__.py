"""Builds what the package brings along: the engine's library, and from it the page's module."""
