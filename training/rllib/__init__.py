"""RLlib's environment and module."""
