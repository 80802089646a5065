"""Compilation in a process of its own, which gives its memory back when it ends.

The compiler takes some 300 MB that a process never returns.  A server that runs for days lets this
process compile, and loads what it wrote to the cache (:mod:`.code_cache`).  It reads a line for each
function to compile, answers with a line of progress for each one compiled inside of it and one at the
end, and ends when its input does.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from .code_cache import CodeCache
from .jit import PROGRESS

IDLE = 20.0  # seconds without work after which the process ends
ALL = "all"  # the last answer; those before it are progress
# The process finds modules where this one finds them.
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    f"from {__name__} import serve; serve()"
)


class CompilerProcess:
    """Compiles one thing at a time; the process starts when it is needed.

    ``now``: what it compiles, as :meth:`.jit.Progress.now` tells it, or None.
    Threads may share it: they wait for each other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._timer: threading.Timer | None = None
        self.now: tuple[str, int, int] | None = None
        PROGRESS.processes.append(self)

    def compile(self, module: str, name: str, argument: Any) -> None:
        """Compile a function of a module for a signature, and write it to the cache.

        A Python function is called with the argument instead, and whatever it uses is compiled.
        RuntimeError if the process ends before that.
        """
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            given = base64.b64encode(dumps(argument)).decode()
            answer = self._ask(json.dumps([module, name, given]))
            self.now = None
            if answer != ALL:
                self._forget()  # the next call starts another one
                raise RuntimeError(f"{module}.{name} was not compiled")
            self._timer = threading.Timer(IDLE, self._end_if_idle)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """End the process, whatever it is doing: files in the cache are written whole."""
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def _ask(self, line: str) -> str:
        """Send a line and note the progress; return the last answer, "" if the process has ended."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
        except OSError:
            return ""
        while (answer := process.stdout.readline().strip()) not in ("", ALL):
            self.now = tuple(json.loads(answer))
        return answer

    def _end_if_idle(self) -> None:
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        """End the process and close its pipes."""
        self.end()
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                with suppress(OSError):  # what it did not read
                    pipe.close()
        self._process = None

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self._process


def compile_apart() -> CompilerProcess:
    """From now on compile in another process whatever the cache lacks."""
    compiler = CompilerProcess()
    CodeCache.compiler = compiler
    return compiler


def serve() -> None:
    """Compile what the lines of the input name; this is what the process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    PROGRESS.quiet = True
    PROGRESS.show = lambda: print(json.dumps(PROGRESS.now()), flush=True)  # type: ignore[method-assign]
    try:
        for line in sys.stdin:
            module, name, argument = json.loads(line)
            found = getattr(importlib.import_module(module), name)
            use = found.compile if isinstance(found, Dispatcher) else found
            use(pickle.loads(base64.b64decode(argument)))
            print(ALL, flush=True)
    except BrokenPipeError:
        os._exit(0)  # the process that asked has ended; flushing would fail again
