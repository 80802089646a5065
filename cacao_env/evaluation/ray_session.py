"""Being connected to Ray: a cluster by its address, or this machine alone."""

from __future__ import annotations

from typing import Any

from training.config import ConfigError


def connected(address: str, cores: int | None = None) -> Any:
    """The module ``ray``, connected; ConfigError in one sentence if that can't be.

    ``address``: that of a cluster, ``auto`` for the one this machine belongs to, ``local`` for one
    made here, with ``cores`` (all if None), that ends with this process.
    """
    try:
        import ray
    except ImportError:
        raise ConfigError("Ray is not installed: pip install 'cacao-env[ray]'") from None
    if not ray.is_initialized():
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address == "local":
            options |= {"num_cpus": cores, "include_dashboard": False}
        try:
            ray.init(address=address, ignore_reinit_error=True, **options)
        except (ConnectionError, ValueError) as error:
            first = " ".join(str(error).split())[:200]
            raise ConfigError(f"there is no Ray cluster at {address!r}: {first}") from None
    return ray
