"""Where a result comes from: time, versions of libraries, commit, machine."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cacao_env import __version__

_SB3 = ("stable-baselines3", "sb3-contrib")
_LIBRARIES = ("numpy", "llvmlite", "pettingzoo", "gymnasium", "torch", *_SB3)


def provenance() -> dict[str, Any]:
    """Return what every measurement stores: ``created, versions, git_commit, machine``."""
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "git_commit": git_commit(),
        "machine": machine(),
    }


def versions() -> dict[str, str]:
    """Return the installed versions of what a result depends on, by package."""
    found = {"cacao-env": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def git_commit() -> str | None:
    """Return the commit of these sources, with ``+`` after changes; None outside of git."""
    root = Path(__file__).parent.parent

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")) != root.resolve():
            return None
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def machine() -> dict[str, Any]:
    """Return processor, number of cores, system and Python version."""
    processor = platform.processor()
    with suppress(OSError):
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        if found := re.search(r"^model name\s*:\s*(.+)$", info, re.M):
            processor = found.group(1)
    return {
        "processor": processor or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }
