"""Whole games that players steer towards events which random play does not reach."""
