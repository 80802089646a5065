"""Build the page's engine: the entry points as one WebAssembly module, and the fields of its memory.

``python -m cacao_env.play.wasm`` compiles the entry points with Numba, whose LLVM code llvmlite makes a
WebAssembly object of.  Two tools from elsewhere finish it: the linker in PyPI's ``ziglang``, and
``wasm-opt`` of npm's ``binaryen``, which turns Numba's 64-bit addresses into 32-bit ones.  What it
writes is committed, so neither is needed to use the package.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
from numba import carray, types

import cacao_env

from ...engine.sources import COMPILED, hash_of
from ...engine.state import STATE
from . import entries
from .tables import agents, codes, layout_of, settings, tables

PACKAGE = Path(__file__).parents[2]
OUT = PACKAGE / "play" / "page" / "src" / "engine"
SOURCES = (*COMPILED, "play/wasm/*.py")
_TRIPLE = "wasm64-unknown-unknown"
_LAYOUT = "e-m:e-p:64:64-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
_FEATURES = "+bulk-memory,+mutable-globals,+sign-ext,+nontrapping-fptoint,+simd128"
_COUNT_DOWN = (
    r"(%[\w.\"-]+) = (?:tail )?call i8 @llvm\.x86\.atomic\.sub\.cc\.i64"
    r"\(ptr[^%]*(%[\w.\"-]+), i64 (\d+), [^\n]*"
)
_PICKLED = r"(@\.const\.pickledata\.[\w.]+ = internal constant) \[\d+ x i8\] c\"[^\"]*\""
_PICKLED_SIZE = r"(ptr @\.const\.pickledata\.[\w.]+, i32) \d+"
_PROPOSALS = (
    *("bulk-memory", "bulk-memory-opt", "memory64", "mutable-globals", "nontrapping-float-to-int"),
    *("sign-ext", "simd"),
)
STACK = 1 << 20  # bytes
_LINK = (
    *("wasm-ld", "-mwasm64", "--no-entry", "--allow-undefined", "--export=call"),
    *("--export=__heap_base", "-z", f"stack-size={STACK}"),
)


def dispatcher() -> Any:
    """Return a function that calls the entry point of a number: the module's only export."""
    names = [entry.__name__ for entry in entries.ENTRIES]
    lines = ["def call(memory, which, a, b, c, d):", "    m = carray(memory, 1)[0]"]
    for number, name in enumerate(names):
        lines += [f"    if which == {number}:", f"        return {name}(m, a, b, c, d)"]
    scope: dict[str, Any] = {"carray": carray}
    scope |= dict(zip(names, entries.ENTRIES))
    exec("\n".join([*lines, "    return -1"]), scope)
    return scope["call"]


def native() -> Any:
    """Compile the entry points for this machine."""
    memory = types.CPointer(numba.from_dtype(entries.MEMORY))
    signature = types.int32(memory, *[types.int32] * 5)
    return numba.cfunc(signature, nopython=True, error_model="numpy", nogil=True)(dispatcher())


def for_wasm(code: str, name: str) -> str:
    """Return Numba's LLVM code for wasm64, with its function ``name`` called ``call``."""
    code = code.replace(f'@"{name}"', "@call").replace(f"@{name}(", "@call(")
    code = re.sub('target triple = "[^"]*"', f'target triple = "{_TRIPLE}"', code)
    code = re.sub('target datalayout = "[^"]*"', f'target datalayout = "{_LAYOUT}"', code)
    code = re.sub('"target-(cpu|features)"="[^"]*"', "", code)
    code = code.replace("= common ", "= internal ")
    # Exceptions are pickled with the paths of Numba's own files; nothing here reads them.
    code = re.sub(_PICKLED, r"\1 [1 x i8] zeroinitializer", code)
    code = re.sub(_PICKLED_SIZE, r"\1 0", code)
    # Reference counts go down by an instruction of x86 that says whether nothing is left.
    code = re.sub(_COUNT_DOWN, _counted_down, code)
    return re.sub(r"declare i8 @llvm\.x86[^\n]*\n", "", code)


def _counted_down(found: re.Match[str]) -> str:
    name, place, by = found.groups()
    bare = "%w" + re.sub(r"\W", "_", name)
    return (
        f"{bare}o = atomicrmw sub ptr {place}, i64 {by} monotonic\n"
        f"  {bare}c = icmp eq i64 {bare}o, {by}\n"
        f"  {name} = zext i1 {bare}c to i8"
    )


def module_of(code: str) -> bytes:
    """Return the WebAssembly module of LLVM code for wasm64."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    parsed = llvm.parse_assembly(code)
    parsed.verify()
    machine = llvm.Target.from_triple(_TRIPLE).create_target_machine(
        cpu="generic", features=_FEATURES, opt=3, reloc="static"
    )
    with tempfile.TemporaryDirectory() as folder:
        obj, linked, out = (str(Path(folder) / name) for name in ("o", "64.wasm", "32.wasm"))
        Path(obj).write_bytes(machine.emit_object(parsed))
        link = [sys.executable, "-m", "ziglang", *_LINK, obj, "-o", linked]
        subprocess.run(link, check=True)
        lower = ["wasm-opt", linked, "-o", out, "-O3", *(f"--enable-{one}" for one in _PROPOSALS)]
        lower += ["--memory64-lowering", "--table64-lowering", "--strip-debug", "--strip-producers"]
        subprocess.run(lower, check=True)
        return Path(out).read_bytes()


def fields() -> dict[str, Any]:
    """Return what JavaScript needs to use the module."""
    return {
        "version": cacao_env.__version__,
        "sources": hash_of(SOURCES),
        "built_with": {"numba": numba.__version__, "llvmlite": llvmlite.__version__},
        "entries": [entry.__name__ for entry in entries.ENTRIES],
        "size": entries.MEMORY.itemsize,
        "memory": layout_of(entries.MEMORY),
        "state": layout_of(STATE),
        "codes": codes(),
        "tables": tables(),
        "settings": settings(),
        "agents": agents(),
    }


def main() -> int:
    """Build the module and its fields, or with ``--check`` compare them with the committed ones."""
    parser = argparse.ArgumentParser(prog="python -m cacao_env.play.wasm", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a file differs")
    check = parser.parse_args().check
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    if not generic.items() <= os.environ.items():
        # Code for any processor, which Numba must know when it is imported: then the code to translate
        # has no instructions of this machine's own, and all machines build the same bytes.
        command = [sys.executable, "-m", __package__, *sys.argv[1:]]
        return subprocess.run(command, env=os.environ | generic).returncode
    compiled = native()
    module = module_of(for_wasm(compiled.inspect_llvm(), compiled._wrapper_name))
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in fields().items()]
    made = {"engine.wasm": module, "fields.json": ("{\n" + ",\n".join(lines) + "\n}\n").encode()}
    differ = False
    for name, content in made.items():
        if check:
            same = (OUT / name).read_bytes() == content
            print(f"{name}: {'the same' if same else 'differs'}")
            differ |= not same
        else:
            OUT.mkdir(parents=True, exist_ok=True)
            (OUT / name).write_bytes(content)
            print(f"{name}: {len(content):,} bytes")
    return int(differ)
