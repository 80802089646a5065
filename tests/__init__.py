"""Tests of the Cacao environment."""
