"""The compiled code's cache: never stale, and never in the way."""

import ast
import compileall
import errno
import hashlib
import os
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, patch

import pytest
from numba import typeof

from cacao_env.engine import code_cache, progress
from cacao_env.engine import sources as source_list
from cacao_env.engine.code_cache import private_folder
from cacao_env.engine.jit import COMPILED
from cacao_env.envs import vector
from cacao_env.envs.vector import VectorGames
from tests import sources

PACKAGE = Path(__file__).parent.parent / "cacao_env"
ASK = """
from cacao_env import Game
from cacao_env.engine import scoring
print(scoring.score(Game.new(seed=0).state, 0))
"""
PATH = {"PYTHONPATH": str(PACKAGE.parent)}
FOLDER = "from cacao_env.engine.code_cache import FOLDER; print(FOLDER)"


def usable(folder):
    """Whether compiled code may be kept in a folder."""
    try:
        return private_folder(folder) == folder.resolve()
    except OSError:
        return False


pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


def run(code, folder=PACKAGE.parent, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


def files(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_importing_compiles_nothing(tmp_path):
    code = (
        "import cacao_env\n"
        "from cacao_env import cacao_v0\n"
        "import cacao_env.envs.gym, cacao_env.agents.loading, cacao_env.evaluation.judge\n"
        "from cacao_env.engine.jit import _linked\n"
        "print(sum(len(entry.overloads) + len(part.overloads) for entry, part in _linked.items()))"
    )
    done = run(code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == "0\n"
    assert done.stderr == ""
    assert files(tmp_path / "cache") == {}


@pytest.mark.parametrize(("decisions", "kind"), [("auto", "none"), ("turn", "bool")])
def test_a_batch_compiles_greedy_only_where_it_may_be_asked(decisions, kind):
    games = VectorGames(2, table_size=15, decisions=decisions, seed=0)
    with patch.object(vector, "_step_all", return_value=-1) as step:
        games.step(games.sample())
    assert str(typeof(step.call_args.args[-2])) == kind


def test_without_a_terminal_progress_is_a_line_a_minute(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with progress.Bar(total=4, desc="games") as bar:
        for now[0] in (1.0, 61.0, 62.0, 122.0):
            bar.update()
            bar.refresh()
    said = capsys.readouterr().err.splitlines()
    assert [line.partition("[")[0].split()[-1] for line in said] == ["2/4", "4/4"]
    assert all(line.startswith("games: ") for line in said)


def test_a_bar_leaves_no_semaphore_behind():
    done = run(
        "import multiprocessing\n"
        "from multiprocessing.resource_tracker import _resource_tracker\n"
        "multiprocessing.set_start_method('spawn')\n"  # as in the processes that play
        "from cacao_env.engine.progress import Bar\n"
        "Bar(total=1).update()\n"
        "print(_resource_tracker._fd)"  # None if nothing is to be cleaned up
    )
    assert done.stdout == "None\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The process that compiled first, and the folder of its code: whoever changes it takes a copy."""
    cache = tmp_path_factory.mktemp("compiled") / "cache"
    return run(ASK, NUMBA_CACHE_DIR=str(cache)), cache


def test_the_first_process_compiles_and_says_so_and_the_next_loads(compiled):
    first, cache = compiled
    assert "compiling what is used for the first time" in first.stderr
    written = files(cache)
    second = run(ASK, NUMBA_CACHE_DIR=str(cache))
    assert (second.stdout, second.stderr) == (first.stdout, "")
    assert files(cache) == written
    assert len(written) > 2


def test_damaged_code_is_compiled_again_and_mended(compiled, tmp_path):
    first, kept = compiled
    cache = shutil.copytree(kept, tmp_path / "cache")
    for number, path in enumerate(sorted(cache.rglob("*.*"))):
        data = path.read_bytes()
        path.write_bytes([b"", data[:-9], data[:99] + b"?" + data[100:]][number % 3])
    assert run(ASK, NUMBA_CACHE_DIR=str(cache)).stdout == first.stdout
    assert files(cache).keys() == files(kept).keys()
    for name, content in files(cache).items():
        assert content[:32] == hashlib.sha256(content[32:]).digest(), name


def test_a_full_disk_does_not_stop_it(tmp_path):
    code = "import pathlib, errno\n" + (
        "def full(self, data): raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "pathlib.Path.write_bytes = full\n"
    )
    done = run(code + ASK, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == "-10\n"
    assert done.stderr.count("No space left on device; set NUMBA_CACHE_DIR to another folder") == 1
    assert files(tmp_path / "cache") == {}


def test_an_edit_in_one_file_is_seen_by_the_functions_of_another(tmp_path):
    """Numba's own cache would serve the old water track."""
    shutil.copytree(PACKAGE, tmp_path / "cacao_env", ignore=shutil.ignore_patterns("__pycache__"))
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(ASK, tmp_path, **cache).stdout == "-10\n"
    tiles = tmp_path / "cacao_env" / "engine" / "tiles.py"
    tiles.write_text(tiles.read_text().replace("[-10, -4, -1,", "[-7, -4, -1,"))
    assert run(ASK, tmp_path, **cache).stdout == "-7\n"


def test_it_works_without_a_home_and_where_no_folder_can_be_made_in_it(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    places = {"XDG_CACHE_HOME": str(blocked), "NUMBA_CACHE_DIR": "", "TMPDIR": str(tmp_path)}
    nobody = "import os; os.environ.pop('HOME'); import pwd\n" + (
        "def nobody(uid): raise KeyError(uid)\npwd.getpwuid = nobody\n"
    )
    first, second = run(FOLDER, **places).stdout, run(nobody + FOLDER, **places).stdout
    assert first == second
    assert first.startswith(str(tmp_path / "cacao_env-"))


def test_a_named_folder_that_will_not_do_is_named(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = run(ASK, NUMBA_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path))
    assert f"compiled code is kept in {tmp_path / f'cacao_env-{os.getuid()}'}" in done.stderr
    assert f"{blocked} can't be used: " in done.stderr
    assert files(tmp_path / f"cacao_env-{os.getuid()}"), "it is kept in the temporary folder"


def test_compiled_code_is_read_from_a_read_only_disk(tmp_path, monkeypatch):
    folder = tmp_path / "cache" / "code"
    assert usable(folder)

    read_only = Mock(side_effect=OSError(errno.EROFS, "Read-only file system"))
    monkeypatch.setattr(code_cache.tempfile, "TemporaryFile", read_only)
    assert not usable(folder), "there is nothing to read"
    (folder / "some").write_bytes(b"code")
    assert usable(folder)


def test_a_package_in_a_zip_file_and_one_of_bytecode_work(tmp_path):
    """Spark and Ray ship code as zip files."""
    copy = tmp_path / "copy" / "cacao_env"
    left = shutil.ignore_patterns("__pycache__", "checkpoints", "play", "*.html")
    shutil.copytree(PACKAGE, copy, ignore=left)
    archive = shutil.make_archive(str(tmp_path / "c"), "zip", copy.parent)
    compileall.compile_dir(copy, quiet=1, legacy=True)
    for source in copy.rglob("*.py"):
        source.unlink()
    for place in (archive, str(copy.parent)):
        cache = tmp_path / f"cache of {Path(place).name}"
        given = {"PYTHONPATH": place, "NUMBA_CACHE_DIR": str(cache)}
        first, second = run(ASK, tmp_path, **given), run(ASK, tmp_path, **given)
        assert (first.stdout, second.stdout, second.stderr) == ("-10\n", "-10\n", "")
        assert len(files(cache)) > 2


def test_a_function_of_a_notebook_s_cell_runs_and_is_not_kept(tmp_path):
    code = (
        "from cacao_env.engine.jit import njit\n"
        "for factor in (2, 3):\n"
        "    cell = f'FACTOR = {factor}\\n@njit\\ndef times(x): return FACTOR * x'\n"
        "    exec(compile(cell, '/tmp/ipykernel_1/1234.py', 'exec'), globals())\n"
        "    print(times(5))\n"
    )
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path / "cache")).stdout == "10\n15\n"
    assert files(tmp_path / "cache") == {}


def test_code_is_never_loaded_from_where_others_can_write(tmp_path):
    """Whoever can put a file there, or swap a folder above it, would run code as this user."""
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    assert not usable(open_to_all)
    assert not usable(open_to_all / "below")
    open_to_all.chmod(0o1777)  # as /tmp: nobody can rename another user's folder there
    assert usable(open_to_all / "below")
    (open_to_all / "below").chmod(0o770)
    assert not usable(open_to_all / "below")
    private = {"NUMBA_CACHE_DIR": str(open_to_all / "below"), "TMPDIR": str(open_to_all)}
    (open_to_all / "below").chmod(0o777)
    for name in ("below", f"cacao_env-{os.getuid()}"):
        (open_to_all / name).mkdir(exist_ok=True)
        (open_to_all / name).chmod(0o777)
    before = sorted(tmp_path.rglob("*"))
    done = run(ASK, **private)
    assert done.stdout == "-10\n"
    assert done.stderr.count("compiled code is not kept") == 1
    assert f"other users can write to {open_to_all / 'below'}" in done.stderr
    assert "Set NUMBA_CACHE_DIR to a folder that only you can write to" in done.stderr
    assert sorted(tmp_path.rglob("*")) == before, "nothing is left behind"


def test_a_link_is_followed_once(tmp_path):
    """Its owner could let it lead elsewhere after the check."""
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "home")
    assert private_folder(tmp_path / "link" / "code") == tmp_path / "home" / "code"
    places = {"XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": str(tmp_path / "link")}
    assert Path(run(FOLDER, **places).stdout.strip()).parent == tmp_path / "home"


def test_another_user_s_folder_is_not_used(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    assert usable(folder)
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    assert not usable(folder)


def test_compiled_functions_call_only_those_whose_edits_are_noticed():
    """A compiled function outside of COMPILED calls imported ones of COMPILED alone."""
    compiled = {
        name: {
            node.name
            for node in ast.walk(sources.tree(name))
            if isinstance(node, ast.FunctionDef)
            and any(ast.unparse(one) in ("njit", "inlined") for one in node.decorator_list)
        }
        for name in sources.modules()
    }
    outside = [name for name in compiled if compiled[name] and not noticed(name)]
    assert len(outside) > 2
    for name in outside:
        for module, what, *_ in sources.imports(name):
            if what in compiled.get(module, ()):
                assert noticed(module), f"{name} calls {module}.{what}"
    assert noticed("cacao_env.game")
    assert not noticed("cacao_env.check.bench.rows")


def noticed(module):
    path = module.removeprefix("cacao_env.").replace(".", "/") + ".py"
    return any(fnmatch(path, one) for one in source_list.COMPILED)


def test_folders_are_private_whatever_is_usual(tmp_path):
    code = "import os; os.umask(0o002)\n"
    folder = run(code + FOLDER, NUMBA_CACHE_DIR=str(tmp_path / "a" / "b")).stdout
    assert folder.startswith(str(tmp_path / "a" / "b"))


SCRIPT = """
import os, sys
sys.path.insert(0, os.getcwd())
import a
{change}
print(a.f(1))
"""


def test_compiled_code_is_that_of_the_source_as_it_was_imported(tmp_path):
    """Of a script and of those it imports, also if a file changes before the first call."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    imports = "from cacao_env.engine.jit import njit\n"
    own, other = "@njit\ndef f(x):\n    return g(x) + {}\n", "@njit\ndef g(x):\n    return x * {}\n"

    def write(added, times):
        (tmp_path / "a.py").write_text(f"{imports}from b import g\n{own.format(added)}")
        (tmp_path / "b.py").write_text(imports + other.format(times))

    write(1, 10)
    text = own.format(200)
    change = f"open('a.py', 'w').write({imports + 'from b import g' + chr(10) + text!r})"
    assert run(SCRIPT.format(change=change), tmp_path, **cache, **PATH).stdout == "11\n"
    assert run(SCRIPT.format(change=""), tmp_path, **cache, **PATH).stdout == "210\n"
    write(200, 1000)
    assert run(SCRIPT.format(change=""), tmp_path, **cache, **PATH).stdout == "1200\n"
