"""Builds the page's engine."""

from .build import main

main()
