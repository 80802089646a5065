"""Hypothesis profiles: the suite's own, a ``long`` and a ``quick`` one (``HYPOTHESIS_PROFILE=...``)."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from cacao_env.engine.jit import PROGRESS

_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("suite", max_examples=60, derandomize=True, **_common)
settings.register_profile("long", max_examples=3000, **_common)
settings.register_profile("quick", max_examples=8, derandomize=True, **_common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

PROGRESS.announced = True  # tests count lines of standard error, whatever is compiled already
