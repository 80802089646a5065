"""Measuring agents: deal blocks, intervals, ratings, reports."""
