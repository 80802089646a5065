"""Bugs that tests must catch: ``python -m tests.planted [WORD ...]`` plants them one at a time."""
