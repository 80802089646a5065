"""The engine's library: never stale, never in the way, and safe behind its doors."""

import compileall
import hashlib
import os
import pickle
import shutil
import subprocess
import sys
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.engine import library
from cacao_env.engine.actions import LEGAL
from cacao_env.engine.jit import BY_NUMBA, COMPILED
from cacao_env.engine.library import about, hash_of_source
from cacao_env.engine.rng import new_rng
from cacao_env.engine.sources import compiled_modules
from cacao_env.engine.state import STATE, deal
from cacao_env.engine.types import Array, Record, Scalar, Tuple, signatures
from cacao_env.envs.vector import VectorGames, first_illegal
from cacao_env.game import try_action
from tests import sources
from tests.tiers import slow

PACKAGE = Path(__file__).parent.parent / "cacao_env"
ASK = """
import numpy
from cacao_env.engine import scoring, state
print(scoring.score(numpy.zeros(1, state.STATE)[0], 0))
"""
pytestmark = pytest.mark.skipif(not COMPILED or BY_NUMBA, reason="the library is not used")


def run(code, folder=PACKAGE.parent, status=0, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stderr
    return done


def kept(cache):
    """The machine code below a cache."""
    return {path: path.read_bytes() for path in Path(cache).rglob("*.o")}


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """A cache that one process has filled; whoever changes it takes a copy."""
    cache = tmp_path_factory.mktemp("cache")
    return run(ASK, XDG_CACHE_HOME=str(cache)), cache


def test_the_library_was_built_from_these_sources():
    """After a change of these modules: ``python -m cacao_env.play.build``."""
    now = {name: hash_of_source(path.read_bytes()) for name, path in compiled_modules().items()}
    assert about()["modules"] == now
    packed = (PACKAGE / "engine" / "library.bc").read_bytes()
    assert hashlib.sha256(packed).hexdigest() == about()["code"]


def test_every_compiled_function_is_in_a_module_that_the_library_knows():
    decorated = [
        name
        for name in sources.modules()
        if name.startswith(("cacao_env.", "training."))
        and "njit" in {what for _, what, *_ in sources.imports(name)}
    ]
    built = ("cacao_env.play.build.entries",)  # the page's, which Python does not call
    assert [name for name in decorated if name not in (*compiled_modules(), *built)] == []
    assert len(decorated) > 30


def test_importing_loads_nothing(tmp_path):
    code = (
        "import cacao_env, cacao_env.envs.gym, cacao_env.agents.loading, cacao_env.evaluation.judge\n"
        "from cacao_env.engine import library\n"
        "import sys; print(library._opened, 'numba' in sys.modules, 'llvmlite' in sys.modules)"
    )
    assert run(code, XDG_CACHE_HOME=str(tmp_path)).stdout == "[] False False\n"
    assert not any(tmp_path.iterdir())


def test_the_first_process_makes_machine_code_and_the_next_loads_it(used):
    first, cache = used
    assert (first.stdout, first.stderr) == ("-10\n", "")
    [(path, content)] = kept(cache).items()
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0
    again = run(ASK, XDG_CACHE_HOME=str(cache))
    assert (again.stdout, again.stderr) == (first.stdout, "")
    assert kept(cache) == {path: content}


def test_damaged_machine_code_is_made_again(used, tmp_path):
    _, cache = used
    cache = shutil.copytree(cache, tmp_path / "cache")
    [(path, content)] = kept(cache).items()
    path.write_bytes(content[:5000] + b"?" + content[5001:])
    assert run(ASK, XDG_CACHE_HOME=str(cache)).stdout == "-10\n"
    assert kept(cache) == {path: content}


@slow
@pytest.mark.parametrize("reason", ["a file", "others can write", "no space"])
def test_where_nothing_can_be_kept_it_works_and_says_so(reason, tmp_path):
    place, code = tmp_path / "place", ASK
    if reason == "a file":
        place.write_text("")
    elif reason == "others can write":
        (place / "cacao_env" / library.folder().name).mkdir(parents=True)
        (place / "cacao_env" / library.folder().name).chmod(0o777)
    else:
        code = (
            "import errno, pathlib\n"
            "def full(self, data): raise OSError(errno.ENOSPC, 'No space left on device')\n"
            "pathlib.Path.write_bytes = full\n" + ASK
        )
    done = run(code, XDG_CACHE_HOME=str(place))
    assert done.stdout == "-10\n"
    assert done.stderr.count("machine code is not kept") == 1
    assert len(done.stderr.splitlines()) == 1
    assert kept(tmp_path) == {}


@slow
def test_processes_that_begin_together_make_it_once(tmp_path):
    place = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    begun = [
        subprocess.Popen([sys.executable, "-c", ASK], env=place, stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    assert [one.communicate()[0] for one in begun] == ["-10\n"] * 8
    [path] = kept(tmp_path)
    assert {one.suffix for one in path.parent.iterdir()} <= {".o", ".lock"}


PARTS = """
from cacao_env.engine.library import folder, loaded
library = loaded()
for name in ("game.try_action", "agents.endgame.solve", "evaluation.luck.add_luck",
             "evaluation.judge.network_playout"):
    assert library.address_of(f"cacao_env.{name}")
    print(len([*folder().glob("*.o")]), end=" ")
"""


@slow
def test_machine_code_is_made_of_the_part_that_is_asked_for(tmp_path):
    """What environments call, what agents do, and then the judge and trainers."""
    assert run(PARTS, XDG_CACHE_HOME=str(tmp_path)).stdout.split() == ["1", "2", "2", "3"]


AHEAD = """
from cacao_env.engine import library
for _ in range(2):
    library.ahead()
    print([maker.wait() for maker in library._makers], len([*library.folder().glob("*.o")]))
library.loaded().address_of("cacao_env.agents.endgame.solve")
print(len([*library.folder().glob("*.o")]))
"""


@slow
def test_another_process_makes_the_code_of_agents_once(tmp_path):
    assert run(AHEAD, XDG_CACHE_HOME=str(tmp_path)).stdout == "[0] 1\n[0] 1\n2\n"


# --- Where the library can't be used ------------------------------------------------------------


def copied(tmp_path):
    """A copy of the package, which a test may damage."""
    left = shutil.ignore_patterns("__pycache__", "checkpoints", "sets", "page", "*.html")
    shutil.copytree(PACKAGE, tmp_path / "copy" / "cacao_env", ignore=left)
    return tmp_path / "copy"


@slow
def test_an_edited_rule_is_seen_at_once(tmp_path):
    """In every function that contains it, which Numba compiles then; it would serve old ones."""
    copy, cache = copied(tmp_path), {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    tiles = copy / "cacao_env" / "engine" / "tiles.py"
    for value in (-7, -8):
        tiles.write_text(
            (PACKAGE / "engine" / "tiles.py").read_text().replace("[-10,", f"[{value},")
        )
        done = run(ASK, copy, PYTHONPATH=str(copy), **cache)
        assert done.stdout == f"{value}\n"
        assert "sources were edited" in done.stderr


NO_LLVMLITE = "import sys; sys.modules['llvmlite'] = None\n"
OTHER_LLVMLITE = """
import llvmlite.binding as llvm
def other(code): raise RuntimeError('LLVM bitcode parsing error')
llvm.parse_bitcode = other
"""
OF_32_BITS = """
from types import SimpleNamespace
from cacao_env.engine import library
library.struct = SimpleNamespace(calcsize=lambda kind: 4)
"""


@slow
@pytest.mark.parametrize("damage", ["code", "table", NO_LLVMLITE, OTHER_LLVMLITE, OF_32_BITS])
def test_what_does_not_fit_is_said_and_numba_compiles(damage, tmp_path):
    copy, code = copied(tmp_path), ASK
    engine = copy / "cacao_env" / "engine"
    if damage == "code":
        content = (engine / "library.bc").read_bytes()
        (engine / "library.bc").write_bytes(content[:900] + content[901:])
    elif damage == "table":
        (engine / "library.json").write_text("{")
    else:
        code = damage + ASK
    given = {"PYTHONPATH": str(copy), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    without = "import sys; sys.modules['numba'] = None\n"
    done = run(without + code, copy, status=1, **given)
    assert done.stderr.splitlines()[-1].startswith("ImportError: ")
    assert "pip install 'numba>=0.68'" in done.stderr
    if damage != NO_LLVMLITE:  # which Numba needs
        assert run(code, copy, **given).stdout == "-10\n"


@slow
def test_a_package_in_a_zip_file_and_one_of_bytecode_work(tmp_path):
    """Spark and Ray ship code as zip files."""
    copy = copied(tmp_path) / "cacao_env"
    archive = shutil.make_archive(str(tmp_path / "c"), "zip", copy.parent)
    compileall.compile_dir(copy, quiet=1, legacy=True)
    for source in copy.rglob("*.py"):
        source.unlink()
    code = ASK + "import sys; print('numba' in sys.modules, sys.modules['cacao_env'].__file__)"
    for place in (archive, str(copy.parent)):
        given = {"PYTHONPATH": place, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        done = run(code, tmp_path, **given)
        assert done.stdout.startswith("-10\nFalse " + place)
        assert done.stderr == ""


@slow
def test_a_function_of_one_s_own_is_compiled_by_numba_with_those_of_the_engine(tmp_path):
    code = (
        "import numpy as np\n"
        "from cacao_env import Game\n"
        "from cacao_env.engine.actions import MAX_LEGAL, legal_into\n"
        "from cacao_env.engine.jit import njit\n"
        "@njit\n"
        "def last(states):\n"
        "    ids = np.empty(MAX_LEGAL, np.int64)\n"
        "    return ids[legal_into(states[0], ids) - 1]\n"
        "game = Game.new(seed=0)\n"
        "print(last(game.states) in game.legal_actions())\n"
    )
    assert run(code, tmp_path).stdout == "True\n"


# --- The door -----------------------------------------------------------------------------------

GAME = Game.new(seed=3)
OTHER = np.zeros(1, np.dtype([("a", "i8")]))
JUNK = (None, "text", 1.5, 2**70, (), [1, 2], object(), np.bool_(True), OTHER, OTHER[0])
JUNK += (np.zeros(3), np.zeros((2, 2), np.int64), np.zeros(1, STATE)[:0].view(np.uint8))


def fitting(one):
    """An object of a declared type; arrays of it have no elements, so that nothing is read."""
    if one is None:
        return None
    if isinstance(one, Scalar):
        return {"i8": 0, "f8": 0.5, "b1": False}[one.kind]
    if isinstance(one, Record):
        return np.zeros(1, one.dtype)[0]
    if isinstance(one, Array):
        return np.zeros((0,) * one.ndim, one.dtype)
    return one.cls(*map(fitting, one.fields))


def is_taken(value, one):
    if isinstance(one, Scalar):
        if one.kind == "f8":
            return isinstance(value, (int, float, np.bool_))
        if one.kind == "b1":
            return isinstance(value, (bool, np.bool_))
        return isinstance(value, (int, np.integer)) and abs(value) < 2**63
    if isinstance(one, Array):
        return isinstance(value, np.ndarray) and (value.dtype, value.ndim) == (one.dtype, one.ndim)
    return value is None if one is None else False


@pytest.mark.parametrize("door", library._doors, ids=lambda door: door.function.__name__)
def test_no_door_lets_anything_else_in(door):
    """Whatever stands in the place of an argument, or of a field: one sentence, and no crash."""
    name = door.function.__name__
    refused = 0
    for types in signatures(door.function):
        fine = list(map(fitting, types))
        for place in range(len(types)):
            for junk in JUNK:
                if any(is_taken(junk, one[place]) for one in signatures(door.function)):
                    continue
                with pytest.raises(TypeError, match=f"{name}: "):
                    door.call(*fine[:place], junk, *fine[place + 1 :])
                refused += 1
            if isinstance(types[place], Tuple):
                inner = fine[place]
                for k in range(len(types[place].fields)):
                    wrong = type(inner)(*inner[:k], "text", *inner[k + 1 :])
                    with pytest.raises(TypeError, match=f"{name}: .*{inner._fields[k]}"):
                        door.call(*fine[:place], wrong, *fine[place + 1 :])
        for number in (fine[:-1], [*fine, 0]):
            with pytest.raises(TypeError):
                door.call(*number)
    assert refused > len(types)


def test_what_is_wrong_is_said():
    ids, rng = np.zeros(1, np.int64), new_rng(1)
    for given, said in (
        ((VectorGames(4, seed=0).states[::2], ids), "states is not contiguous"),
        ((GAME.states, ids.astype(">i8")), "chosen is an array of int64 with 1"),
        ((GAME.states, ids[None]), "2 dimensions, expected an array of int64 with 1"),
        ((GAME.states, [0]), r"chosen is \[0\], expected an array"),
    ):
        with pytest.raises(TypeError, match=f"first_illegal: .*{said}"):
            first_illegal(*given)
    fixed = GAME.states.copy()
    fixed.flags.writeable = False
    with pytest.raises(TypeError, match="states can't be written to"):
        try_action(fixed, 0)
    with pytest.raises(TypeError, match="state can't be written to"):
        deal(fixed[0], rng)
    with pytest.raises(TypeError, match=r"action is 1\.0, expected an integer of 64 bits"):
        try_action(GAME.states, 1.0)


def test_what_is_the_same_is_taken():
    """Other integers, views of subclasses, equal dtypes that are other objects, keywords."""
    expected = try_action(GAME.clone().states, 5)
    twin = pickle.loads(pickle.dumps(STATE))
    assert twin == STATE
    assert twin is not STATE
    assert try_action(GAME.clone().states.view(twin), 5) == expected
    assert try_action(states=GAME.clone().states, action=np.int16(5)) == expected
    assert try_action(GAME.clone().states.view(np.memmap), np.uint8(5)) == expected
    assert first_illegal(GAME.states, np.zeros(1, np.longlong) + 5) == (
        -1 if expected == LEGAL else 0
    )
    state = GAME.clone().states.view(twin)[0]
    deal(state, new_rng(4))
    again = GAME.clone()
    deal(again.state, new_rng(4))
    assert state.tobytes() == again.state.tobytes()


def test_a_door_is_a_function_with_a_name_and_a_docstring():
    assert try_action.__name__ == "try_action"
    assert "Play an action if it is legal" in try_action.__doc__
    assert str(signature(try_action)) == "(states, action)"


def test_compiled_functions_leave_the_interpreter_to_other_threads():
    from threading import Thread

    from cacao_env.envs.vector import playouts

    games, seen = VectorGames(64, num_players=4, seed=0), []
    work = Thread(target=lambda: seen.append(playouts(games.states, games.rngs, 60)))
    work.start()
    turns = 0
    while work.is_alive():
        turns += 1
    work.join()
    assert seen == [64 * 60]
    assert turns > 1000, "this thread waited"
