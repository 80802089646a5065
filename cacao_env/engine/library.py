"""The engine's library: its compiled functions, built once, and the door through which Python calls.

``python -m cacao_env.play.build`` makes ``library.bc``, LLVM's code of all functions, from the sources
whose hashes ``library.json`` lists.  At the first call of a process llvmlite makes machine code of it,
for this very processor, and keeps it below the user's cache; later processes load that.  It makes three
parts, each when it is first asked for: what environments call, agents, and the rest.  A wheel for one
system has the machine code in it.

A ``Door`` is what a function is for Python.  Compiled code trusts its arguments, so the library itself
checks their types, dimensions, order and whether they can be written to, and hands what it does not
take at once back to the door, which converts it or says what is wrong.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import json
import lzma
import multiprocessing
import operator
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from .types import Array, Record, Scalar, Struct, Tuple, Type, flat, key_of, signatures

_HERE = files(__package__)
_PACKAGE = __name__.partition(".")[0]
API = (
    *("PyObject_Vectorcall", "PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_Occurred"),
    *("PyErr_Clear", "PyErr_NoMemory", "PyLong_AsLongLong", "PyLong_FromLongLong"),
    *("PyFloat_AsDouble", "PyFloat_FromDouble", "PyBool_FromLong", "PyTuple_GetItem"),
    *("PyTuple_New", "PyTuple_SetItem", "Py_IncRef"),
)
SYSTEM = (  # what the library may call of C's library
    *("malloc", "free", "memset", "memcpy", "memmove"),
    *("sqrt", "log", "log2", "log10", "floor", "ceil", "rint"),
)
_OBJECTS = ("head", "ndarray", "record", "None", "True", "False")
HOST = (*_OBJECTS, *API)  # what the library asks of Python
_FASTCALL_AND_KEYWORDS = 0x0080 | 0x0002
# The packages and modules of each part but the last: what environments call, and what agents do.
_PARTS = (
    ("engine", "greedy", "envs", "data", "game", "gold_sources"),
    ("agents", "evaluation.luck"),
)
PAGE = "call"  # the page's function, which Python does not call
FILES = {"linux": "libcacao.so", "darwin": "libcacao.dylib", "win32": "cacao_engine.dll"}
NO_NUMBA = (
    "Numba compiles functions that the engine's library does not have as they are, and is not "
    "installed: pip install 'numba>=0.68'"
)
_told: set[str] = set()
_lock = threading.RLock()


def speaks() -> bool:
    """Return whether this process, and not one that it started, tells the user."""
    return multiprocessing.parent_process() is None and sys.stderr is not None


def tell(line: str) -> None:
    """Print a line on standard error, once a process."""
    if line not in _told and speaks():
        _told.add(line)
        print(f"cacao_env: {line}", file=sys.stderr)


@cache
def about() -> Any:
    """Return what ``library.json`` says: ``modules`` and their hashes, ``dtypes``, the ``code``'s."""
    try:
        return json.loads(_HERE.joinpath("library.json").read_bytes())
    except (OSError, ValueError):
        return {"modules": {}, "dtypes": [], "code": ""}


def hash_of_source(content: bytes) -> str:
    """Return the hash of a module's source; the ends of its lines do not count."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()[:16]


@cache
def fits() -> bool:
    """Return whether the library was built from the package's sources as they are."""
    known = [name for name in about()["modules"] if name.startswith(_PACKAGE + ".")]
    # Without sources there is bytecode alone, which nobody edits.
    return bool(known) and all(_source(name) in ("", about()["modules"][name]) for name in known)


def _source(name: str) -> str:
    """Return the hash of a module's source, "" where there is none."""
    path = "/".join(name.split(".")[1:])
    for file in (f"{path}.py", f"{path}/__init__.py"):
        with suppress(OSError):
            return hash_of_source(files(_PACKAGE).joinpath(file).read_bytes())
    return ""


@cache
def holds(module: str) -> bool:
    """Return whether the library has the functions of a module as it is."""
    known = about()["modules"].get(module)
    if known is None or module.startswith(_PACKAGE + "."):
        return known is not None
    with suppress(OSError, AttributeError, TypeError):
        return hash_of_source(Path(str(sys.modules[module].__file__)).read_bytes()) == known
    return False


@cache
def folder() -> Path:
    """Return where machine code is kept for this library: below XDG_CACHE_HOME, or ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    sources = "".join(f"{name}{_source(name)}" for name in sorted(about()["modules"]))
    return Path(base) / "cacao_env" / hashlib.sha256(sources.encode()).hexdigest()[:16]


# --- The door ---------------------------------------------------------------------------------


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("call", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def _address(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


_new_function = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
)(_address("PyCFunction_NewEx"))
_doors: list[Door] = []
_opened: list[Loaded] = []  # the library, if it is loaded


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function in the library."""
    return f"{function.__module__}.{function.__qualname__}"


class Door:
    """A compiled function for Python: ``call``, a builtin function.

    ``call`` is the library's own function; before the library is loaded it is this object, and so is
    where it hands back what it does not take.  ``otherwise`` makes Numba's form of the function, for
    where the library can't be loaded.
    """

    def __init__(self, function: Callable[..., Any], otherwise: Callable[[], Any]) -> None:
        self.function, self._otherwise = function, otherwise
        self._signature = inspect.signature(function)
        self._types = signatures(function)
        self._method = _Method(
            function.__name__.encode(),
            # Python calls with (self, arguments, number, keywords), as one calls any object.
            _address("PyObject_Vectorcall"),
            _FASTCALL_AND_KEYWORDS,
            f"{function.__name__}{_plain(self._signature)}\n--\n\n{function.__doc__}".encode(),
        )
        address = ctypes.addressof(self._method)
        self.call = _new_function(address, self, None)
        self._library = _new_function(address, self._refuse, None)
        with _lock:
            _doors.append(self)
            for one in _opened:
                one.open([self])

    def open(self, library: Loaded) -> None:
        """Let ``call`` be the library's function from now on, whose part is loaded if it is not yet."""
        for type_ in (one for types in self._types for one in flat(types)):
            if isinstance(type_, (Array, Record)):
                library.know(type_.dtype)
        self._method.call = library.address_of(name_of(self.function))

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Load the library, or convert what it does not take at once; TypeError for other arguments."""
        library = loaded()
        if library is None:
            return self._otherwise()(*given, **named)
        with _lock:
            self.open(library)
        bound = self._signature.bind(*given, **named)
        bound.apply_defaults()
        arguments = bound.arguments
        problems = []
        for types in self._types:
            try:
                return self._library(
                    *(
                        _fitting(f"{self.function.__name__}: {name}", value, type_)
                        for (name, value), type_ in zip(arguments.items(), types, strict=True)
                    )
                )
            except _Unfit as error:
                problems.append(str(error))
        raise TypeError(" or ".join(dict.fromkeys(problems)))

    def _refuse(self, *given: Any) -> Any:
        raise TypeError(f"{self.function.__name__} does not take {given!r:.300}")

    def __getattr__(self, name: str) -> Any:
        # Python pickles ``call`` as an attribute of this.
        if name == vars(self)["function"].__name__:
            return self.call
        raise AttributeError(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _door_of, (self.function.__module__, self.function.__name__)


def _door_of(module: str, name: str) -> Any:
    return getattr(import_module(module), name).__self__


def _plain(signature: inspect.Signature) -> str:
    """Return a signature as CPython reads it in a docstring: without annotations."""
    names = [
        one.name if one.default is one.empty else f"{one.name}={one.default!r}"
        for one in signature.parameters.values()
    ]
    return f"($module, {', '.join(names)})"


class _Unfit(TypeError):
    """An argument does not have the type that is declared."""


def _fitting(name: str, value: Any, type_: Type) -> Any:
    """Return an argument as the library takes it; _Unfit says what is expected."""
    if type_ is None:
        if value is None:
            return None
        raise _Unfit(f"{name} is {value!r:.80}, expected None")
    if isinstance(type_, Tuple):
        if not isinstance(value, tuple) or len(value) != len(type_.fields):
            raise _Unfit(f"{name} is {value!r:.80}, expected a {type_.cls.__name__}")
        fields = type_.cls._fields  # type: ignore[attr-defined]
        return type_.cls(
            *(
                _fitting(f"{name}.{field}", one, part)
                for field, one, part in zip(fields, value, type_.fields, strict=True)
            )
        )
    if isinstance(type_, Scalar):
        return _scalar(name, value, type_.kind)
    if isinstance(type_, Record):
        return _record(name, value, type_.dtype)
    return _array(name, value, type_)


def _scalar(name: str, value: Any, kind: str) -> Any:
    try:
        if kind == "b1" and isinstance(value, (bool, np.bool_)):
            return bool(value)
        if kind == "f8":
            return float(value)
        if kind == "i8" and -(2**63) <= operator.index(value) < 2**63:
            return operator.index(value)
    except (TypeError, ValueError):
        pass
    expected = {"b1": "True or False", "f8": "a number", "i8": "an integer of 64 bits"}[kind]
    raise _Unfit(f"{name} is {value!r:.80}, expected {expected}")


def _record(name: str, value: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, np.ndarray) and value.shape == ():
        value = value[()]
    if not isinstance(value, np.void) or value.dtype != dtype:
        raise _Unfit(f"{name} is {type(value).__name__}, expected a record of an array of games")
    if not value.flags.writeable:
        raise _Unfit(f"{name} can't be written to")
    if value.dtype is dtype and type(value) is Struct:
        return value
    return np.asarray(value).reshape(1).view(dtype)[0]  # the same memory


def _array(name: str, value: Any, type_: Array) -> Any:
    expected = f"an array of {_kind(type_.dtype)} with {type_.ndim} dimensions"
    if not isinstance(value, np.ndarray):
        raise _Unfit(f"{name} is {value!r:.80}, expected {expected}")
    if value.dtype != type_.dtype or value.ndim != type_.ndim:
        found = f"{_kind(value.dtype)} with {value.ndim}"
        raise _Unfit(f"{name} is an array of {found} dimensions, expected {expected}")
    flags = value.flags
    if not (flags.c_contiguous and flags.aligned):
        raise _Unfit(f"{name} is not contiguous in C order, expected {expected}, in one piece")
    if not flags.writeable:
        raise _Unfit(f"{name} can't be written to, expected an array that can")
    return value.view(np.ndarray).view(type_.dtype)


def _kind(dtype: np.dtype[Any]) -> str:
    return "records" if dtype.names else dtype.name


# --- Loading ----------------------------------------------------------------------------------


class Loaded:
    """The library in memory: the addresses of its functions, and what it knows of Python.

    ``load``: loads the part of a number; None where one part has all.
    """

    def __init__(
        self, address_of: Callable[[str], int], keep: Any, load: Callable[[int], object] | None
    ) -> None:
        self._address_of, self._keep, self._load = address_of, keep, load
        self._dtypes = {name: len(HOST) + k for k, name in enumerate(about()["dtypes"])}
        self._known: dict[int, int] = {}
        self._hosts: list[Any] = []  # of each part that is loaded
        self._add()

    def _add(self) -> None:
        """Load the next part, and fill in its table of Python's objects."""
        if self._load is not None:
            self._load(len(self._hosts))
        size = len(HOST) + len(self._dtypes)
        address = self._address_of(_host_of(len(self._hosts)))
        table = (ctypes.c_int64 * size).from_address(address)
        self._hosts.append(table)
        values = {
            "head": object.__basicsize__,
            "ndarray": id(np.ndarray),
            "record": id(Struct),
            **{str(one): id(one) for one in (None, True, False)},
            **{name: _address(name) for name in API},
        }
        table[: len(HOST)] = [values[name] for name in HOST]
        for place, address in self._known.items():
            table[place] = address

    def know(self, dtype: np.dtype[Any]) -> None:
        """Tell the library where a dtype is."""
        place = self._dtypes[key_of(dtype)]
        self._known[place] = id(dtype)
        for table in self._hosts:
            table[place] = id(dtype)

    def open(self, doors: Iterable[Door]) -> None:
        """Open the doors of the parts that are loaded."""
        for door in doors:
            if self._has(name_of(door.function)):
                door.open(self)

    def _has(self, name: str) -> bool:
        return self._load is None or part_of(name) < len(self._hosts)

    def address_of(self, name: str) -> int:
        """Return the address of a function; load its part, and those before, if it is not there."""
        while not self._has(name):
            self._add()
        return self._address_of(name)


@cache
def loaded() -> Loaded | None:
    """Load the library, and open all doors; None if that can't be done, which is told once."""
    with _lock:
        if _opened:  # by another thread, while this one waited
            return _opened[0]
        try:
            if struct.calcsize("P") != 8 or sys.implementation.name != "cpython":
                raise RuntimeError("it is for CPython of 64 bits")
            one = _prebuilt() or _compiled()
        except (ImportError, OSError, RuntimeError, ValueError, AttributeError) as error:
            tell(f"the engine's library can't be used ({error}), Numba compiles instead")
            return None
        one.open(_doors)
        _opened.append(one)
        return one


def ahead() -> None:
    """Let another process make the code of agents, if it must be made; return at once.

    This process makes that of environments meanwhile.
    """
    if fits() and _dll() is None and not any(folder().glob("*.o")):
        work = f"from {__name__} import code_of; code_of(1)"
        silent: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        _makers.append(subprocess.Popen([sys.executable, "-c", work], **silent))


_makers: list[Any] = []  # the other process


def _dll() -> Path | None:
    """Return where a wheel for this system has the library, None where it has none."""
    place = _HERE.joinpath(FILES.get(sys.platform, FILES["linux"]))
    return place if isinstance(place, Path) and place.is_file() else None


def _prebuilt() -> Loaded | None:
    """Return the library of a wheel for this system, None where there is none."""
    place = _dll()
    if place is None:
        return None
    dll = ctypes.CDLL(str(place))
    return Loaded(lambda name: ctypes.addressof(ctypes.c_char.in_dll(dll, name)), dll, None)


def _compiled() -> Loaded:
    """Return the library compiled for this processor."""
    llvm, machine, _ = _compiler()
    system = ctypes.cdll.ucrtbase if sys.platform == "win32" else ctypes.CDLL(None)
    for function in SYSTEM:
        llvm.add_symbol(function, ctypes.cast(getattr(system, function), ctypes.c_void_p).value)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)

    def load(part: int) -> None:
        engine.add_object_file(llvm.ObjectFileRef.from_data(code_of(part)))
        engine.finalize_object()

    return Loaded(engine.get_function_address, (engine, machine), load)


@cache
def _compiler() -> tuple[Any, Any, str]:
    """Return llvmlite's binding, this processor as its target, and what names both."""
    import llvmlite
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(*processor, opt=3, jit=True)
    return llvm, machine, f"{llvmlite.__version__} {processor}"


def code_of(part: int) -> bytes:
    """Return the machine code of a part, from the user's cache if it is there."""
    llvm, machine, processor = _compiler()
    what = f"{about()['code']} {processor} {part}"
    name = f"{hashlib.sha256(what.encode()).hexdigest()[:16]}.o"
    return _kept(folder() / name, lambda: _machine_code(llvm, machine, part))


def part_of(name: str) -> int:
    """Return the number of the part that has a function."""
    for part, modules in enumerate(_PARTS):
        if name.startswith(tuple(f"{_PACKAGE}.{one}." for one in modules)):
            return part
    return len(_PARTS)


def _host_of(part: int) -> str:
    """Return the name of the table of Python's objects of a part."""
    return f"host of part {part}" if part else "host"


def _machine_code(llvm: Any, machine: Any, part: int) -> bytes:
    """Return the machine code of a part, which calls functions of those before."""
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()

    def leave(module: Any, wanted: Callable[[str], bool]) -> list[Any]:
        """Leave the wanted functions, and what they call, in a module; return all of them."""
        for one in module.functions:
            if one.linkage is llvm.Linkage.external and not wanted(one.name):
                one.linkage = one.linkage if one.is_declaration else "internal"
        passes.run(module, builder)
        return [one for one in module.functions if not one.is_declaration]

    module = _module(llvm, machine)
    before = set()
    if part:
        before = {one.name for one in leave(module.clone(), lambda name: part_of(name) < part)}
    module.get_global_variable("host").name = _host_of(part)
    for one in module.functions:
        if one.name in before:
            one.linkage = "available_externally"
    for one in leave(module, lambda name: part_of(name) <= part and name != PAGE):
        if one.name not in before:
            one.linkage = "external"
    return bytes(machine.emit_object(module))


def _module(llvm: Any, machine: Any) -> Any:
    """Return LLVM's code of the whole library."""
    packed = _HERE.joinpath("library.bc").read_bytes()
    if hashlib.sha256(packed).hexdigest() != about()["code"]:
        raise ValueError("library.bc is damaged: install the package again")
    module = llvm.parse_bitcode(lzma.decompress(packed))
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return module


def _kept(path: Path, make: Callable[[], bytes]) -> bytes:
    """Return what is kept in a file, a checksum and then the code, or make it and keep it.

    One process makes it, and others wait.  Nothing is kept where somebody else could write.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid"):
            place = path.parent.stat()
            if place.st_uid != os.getuid() or place.st_mode & 0o022:
                raise PermissionError(0, f"other users can write to {path.parent}")
        if (found := _read(path)) is not None:
            return found
        from filelock import FileLock  # slow to import

        with FileLock(path.with_suffix(".lock"), timeout=60):
            if (found := _read(path)) is not None:
                return found
            code = make()
            part = path.with_suffix(f".{os.getpid()}")
            part.write_bytes(hashlib.sha256(code).digest() + code)
            os.replace(part, path)
            return code
    except OSError as error:  # filelock's Timeout is one
        if (found := _read(path)) is not None:
            return found
        tell(f"machine code is not kept, each process makes it again: {error}")
        return make()


def _read(path: Path) -> bytes | None:
    with suppress(OSError):
        content = path.read_bytes()
        if hashlib.sha256(content[32:]).digest() == content[:32]:
            return content[32:]
    return None
