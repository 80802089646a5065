"""Past one machine: Ray."""
