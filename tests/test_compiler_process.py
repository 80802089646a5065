"""A process that compiles for another one."""

from __future__ import annotations

import base64
import json
import os
import pickle
import subprocess
import sys

import pytest

from cacao_env.engine.compiler_process import _PROGRAM, CompilerProcess
from cacao_env.engine.jit import COMPILED

if not COMPILED:
    pytest.skip("nothing is compiled here", allow_module_level=True)

NOTHING = base64.b64encode(pickle.dumps(None)).decode()
# Plays with a function of the package, and prints how many functions it has compiled itself.
PROGRAM = """
import sys
from numba.core import event
from cacao_env.engine.compiler_process import compile_apart
from cacao_env.engine.jit import PROGRESS

class Count(event.Listener):
    compiled = 0
    def on_start(self, event): self.compiled += 1
    def on_end(self, event): pass

count = Count()
event.register("numba:compile", count)
compiler = compile_apart() if "apart" in sys.argv else None
told = []
if compiler:
    class Watched(type(compiler)):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if name == "now" and value:
                told.append(PROGRESS.now())

    compiler.__class__ = Watched
from cacao_env import Game
from cacao_env.engine.jit import _linked
from cacao_env.greedy.turn import late_choice
game = Game.new(seed=0)
game.play(game.legal_actions()[0])
assert not _linked[late_choice].overloads  # greedy's policy is compiled for turns alone
if compiler:
    process = compiler._process
    compiler.end()
    assert process is None or process.returncode is not None
print(count.compiled, len(told))
assert all(0 <= done < total for _, done, total in told)
assert not told or max(done for _, done, _ in told) > 3
"""


def run(cache, *arguments: str) -> tuple[int, int]:
    """(functions compiled in the process, progress told) by the program with an own cache."""
    made = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"XDG_CACHE_HOME": str(cache)},
    )
    assert made.returncode == 0, made.stderr
    compiled, told = made.stdout.split()
    return int(compiled), int(told)


def test_another_process_compiles_and_this_one_loads(tmp_path):
    compiled, told = run(tmp_path, "apart")
    assert compiled == 0
    assert told > 10
    assert run(tmp_path, "apart") == (0, 0)  # everything is there
    assert run(tmp_path) == (0, 0)
    assert run(tmp_path / "other")[0] > 0


def test_it_calls_python_functions():
    compiler = CompilerProcess()
    compiler.compile("json", "dumps", {"any": "thing"})
    with pytest.raises(RuntimeError, match=r"json\.loads was not compiled"):
        compiler.compile("json", "loads", "not JSON")


def test_it_ends_quietly_when_the_process_that_asked_has_ended():
    command = [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)]
    line = json.dumps(["json", "dumps", NOTHING]).encode() + b"\n"
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        process.stdin.write(line)
        process.stdin.close()
        assert (process.stderr.read(), process.wait(300)) == (b"", 0)


def test_a_process_that_ends_is_started_again():
    compiler = CompilerProcess()
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"nowhere\.at_all was not compiled"):
            compiler.compile("nowhere", "at_all", ())
        assert compiler._process is None
    compiler._start().kill()  # it ends between two calls
    compiler._process.wait()
    with pytest.raises(RuntimeError, match=r"nowhere\.at_all was not compiled"):
        compiler.compile("nowhere", "at_all", ())
    assert compiler._process is None
