"""Build the engine's library and the page's module, or with ``--check`` compare them."""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ...engine.jit import BUILD

ENGINE = Path(__file__).parents[2] / "engine"
# Code for any processor, which Numba must know when it is imported; nothing of the old library is used.
# Numba names constants by their hashes, so all builds have the same.
_GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
_ENVIRONMENT = {BUILD: "1", "PYTHONHASHSEED": "0"} | _GENERIC


def main() -> int:
    """Build, or compare what is built with the committed files; 1 if one differs."""
    parser = argparse.ArgumentParser(prog="python -m cacao_env.play.build", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a file differs")
    parser.add_argument("--library", action="store_true", help="the library alone, not the page's")
    parser.add_argument(
        "--wheels", nargs="*", metavar="SYSTEM", help="wheels for these systems, or all"
    )
    options = parser.parse_args()
    if options.wheels is not None:
        from . import wheels

        for path in wheels.make(options.wheels or list(wheels.SYSTEMS), Path("dist")):
            print(f"{path}: {path.stat().st_size:,} bytes")
        return 0
    if not _ENVIRONMENT.items() <= os.environ.items():
        command = [sys.executable, "-m", str(__package__), *sys.argv[1:]]
        return subprocess.run(command, env=os.environ | _ENVIRONMENT).returncode
    from . import library

    bitcode, about = library.build()
    packed = lzma.compress(bitcode, preset=9)
    about["code"] = hashlib.sha256(packed).hexdigest()
    made = {ENGINE / "library.bc": packed, ENGINE / "library.json": _json(about)}
    if not options.library and shutil.which("wasm-opt"):
        from . import page

        made[page.OUT / "engine.wasm"] = page.module_of(bitcode)
        made[page.OUT / "fields.json"] = _json(page.fields())
    if options.check:
        same = {path.name: path.read_bytes() == content for path, content in made.items()}
        for name, is_same in same.items():
            print(f"{name}: {'the same' if is_same else 'differs'}")
        return int(not all(same.values()))
    for path, content in made.items():
        path.write_bytes(content)
        print(f"{path.name}: {len(content):,} bytes")
    return 0


def _json(about: dict[str, object]) -> bytes:
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in about.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


sys.exit(main())
