"""A folder as OpenEnv expects it: the environment's client and server, and the file of a container."""
