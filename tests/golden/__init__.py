"""Whole games as they must come out, readable: records and what a position looks like."""
