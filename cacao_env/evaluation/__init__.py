"""Measure agents: games over deal blocks, intervals, ratings, reports.  See docs/evaluation.md."""

SEED = 1_000_000_000  # of the first deal; no training uses such seeds
BLOCKS = 200  # deals, by default
