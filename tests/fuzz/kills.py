"""Kill a process anywhere; write a checkpoint, and read what a kill leaves of it."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cacao_env.agents.value.checkpoint import read_value, save_value
from cacao_env.agents.value.net import param_shapes

_FILES = ("cacao_env/files.py", "cacao_env/agents/checkpoint.py")
KILLED = 9


def killed_at(work: Callable[[], object], line: int, files: tuple[str, ...] = _FILES) -> bool:
    """Do work in another process that ends, without any clean-up, before its line number ``line``.

    The lines counted are those of ``files``, which write.  Returns whether it came so far.
    """
    child = os.fork()
    if child == 0:
        silence()
        left = line

        def trace(frame: Any, event: str, _: Any) -> Any:
            nonlocal left
            if not frame.f_code.co_filename.endswith(files):
                return None
            if event == "line":
                left -= 1
                if left < 0:
                    os._exit(KILLED)
            return trace

        sys.settrace(trace)
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def killed_after(work: Callable[[], object], seconds: float | None) -> None:
    """Work in another process and kill it after some seconds; None lets it end."""
    child = os.fork()
    if child == 0:
        silence()
        work()
        os._exit(0)
    if seconds is not None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if os.waitpid(child, os.WNOHANG)[0]:
                return  # it ended before
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def silence() -> None:
    """Print nothing from now on, in a forked process."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def write(folder: Path, number: int) -> None:
    """Write a checkpoint whose weights and name are ``number``."""
    params = {
        name: np.full(shape, number, np.float32) for name, shape in param_shapes(4, 4, 4).items()
    }
    save_value(folder, str(number), params, {"players": [2], "volcanoes": False})


def read(folder: Path) -> int:
    """Read the number; ValueError if manifest and weights are of two checkpoints."""
    params, _, manifest = read_value(folder)
    number = int(params["bias"][0])
    if str(number) != manifest["name"]:
        raise ValueError("manifest and weights are of two checkpoints")
    return number
