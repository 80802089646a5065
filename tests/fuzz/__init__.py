"""Attack every door by which data comes in: ``python -m tests.fuzz [NAME ...] --seconds N``."""
