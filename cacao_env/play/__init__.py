"""Games with people at the table."""
