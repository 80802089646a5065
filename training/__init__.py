"""Training and measuring agents for :mod:`cacao_env`; each script is a thin main over functions."""
