"""Measure agents: games over deal blocks, intervals, ratings, reports.  See docs/evaluation.md."""
