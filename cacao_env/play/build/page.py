"""Build the page's engine: the library as a WebAssembly module, and the fields of its memory.

llvmlite makes a WebAssembly object of the library's code.  Two tools from elsewhere finish it: the
linker in PyPI's ``ziglang``, and ``wasm-opt`` of npm's ``binaryen``, which turns 64-bit addresses into
32-bit ones.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

import cacao_env

from ...engine.library import PAGE
from ...engine.sources import COMPILED, hash_of
from ...engine.state import STATE
from . import entries
from .tables import agents, codes, layout_of, settings, tables

PACKAGE = Path(__file__).parents[2]
OUT = PACKAGE / "play" / "page" / "src" / "engine"
SOURCES = (*COMPILED, "play/build/*.py")
_TRIPLE = "wasm64-unknown-unknown"
_LAYOUT = "e-m:e-p:64:64-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
_FEATURES = "+bulk-memory,+mutable-globals,+sign-ext,+nontrapping-fptoint,+simd128"
_PROPOSALS = (
    *("bulk-memory", "bulk-memory-opt", "memory64", "mutable-globals", "nontrapping-float-to-int"),
    *("sign-ext", "simd"),
)
STACK = 1 << 20  # bytes
_LINK = (
    *("wasm-ld", "-mwasm64", "--no-entry", "--allow-undefined", "--gc-sections"),
    *(f"--export={PAGE}", "--export=__heap_base", "-z", f"stack-size={STACK}"),
)


def module_of(bitcode: bytes) -> bytes:
    """Return the WebAssembly module of the library's code."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    parsed = llvm.parse_bitcode(bitcode)
    parsed.triple, parsed.data_layout = _TRIPLE, _LAYOUT
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
        "entries": [entry.__name__ for entry in entries.ENTRIES],
        "size": entries.MEMORY.itemsize,
        "memory": layout_of(entries.MEMORY),
        "state": layout_of(STATE),
        "codes": codes(),
        "tables": tables(),
        "settings": settings(),
        "agents": agents(),
    }
