"""Scripted rule tests, one file for each section of the rules page."""
