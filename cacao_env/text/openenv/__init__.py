"""A folder as OpenEnv expects it: the environment's client and server, and a container file."""
