"""Make wheels for one system each: machine code in place of LLVM's, and no llvmlite to install."""

from __future__ import annotations

import lzma
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as llvm

from ...engine.library import FILES

ROOT = Path(__file__).parents[3]


class System(NamedTuple):
    """A system: LLVM's name and processor, zig's name, the tag of a wheel, the name of the library."""

    triple: str
    processor: str
    target: str
    tag: str
    library: str


_LINUX, _MACOS, _WINDOWS = FILES["linux"], FILES["darwin"], FILES["win32"]
SYSTEMS = {
    "linux-x86_64": System(
        *("x86_64-unknown-linux-gnu", "x86-64-v2", "x86_64-linux-gnu.2.17"),
        *("manylinux2014_x86_64", _LINUX),
    ),
    "linux-arm64": System(
        *("aarch64-unknown-linux-gnu", "generic", "aarch64-linux-gnu.2.17"),
        *("manylinux2014_aarch64", _LINUX),
    ),
    "macos-x86_64": System(
        *("x86_64-apple-macosx11.0.0", "x86-64-v2", "x86_64-macos"),
        *("macosx_11_0_x86_64", _MACOS),
    ),
    "macos-arm64": System(
        *("arm64-apple-macosx11.0.0", "apple-m1", "aarch64-macos"),
        *("macosx_11_0_arm64", _MACOS),
    ),
    "windows-x86_64": System(
        *("x86_64-pc-windows-gnu", "x86-64-v2", "x86_64-windows-gnu"),
        *("win_amd64", _WINDOWS),
    ),
    "windows-arm64": System(
        *("aarch64-pc-windows-gnu", "generic", "aarch64-windows-gnu"),
        *("win_arm64", _WINDOWS),
    ),
}


def link(bitcode: bytes, system: System, target: Path) -> None:
    """Write the shared library of a system."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_bitcode(bitcode)
    machine = llvm.Target.from_triple(system.triple).create_target_machine(
        cpu=system.processor, opt=3, reloc="pic"
    )
    module.triple, module.data_layout = system.triple, str(machine.target_data)
    if system.library == _WINDOWS:
        for one in (*module.functions, *module.global_variables):
            if not one.is_declaration and one.linkage is llvm.Linkage.external:
                one.storage_class = "dllexport"
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "library.o"
        code.write_bytes(machine.emit_object(module))
        command = ["-m", "ziglang", "cc", "-shared", "-s", "-target", system.target]
        subprocess.run([sys.executable, *command, "-o", target, code, "-lm"], check=True)


def make(names: list[str], out: Path) -> list[Path]:
    """Write the wheels of systems to a folder; return their paths."""
    unknown = [name for name in names if name not in SYSTEMS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no system, expected {', '.join(SYSTEMS)}")
    out.mkdir(exist_ok=True)
    made: list[Path] = []
    with tempfile.TemporaryDirectory() as folder:
        pip = ["-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)]
        subprocess.run([sys.executable, *pip], check=True)
        [plain] = Path(folder).glob("*.whl")
        unpack = ["-m", "wheel", "unpack", "-d", folder, str(plain)]
        subprocess.run([sys.executable, *unpack], check=True, stdout=subprocess.DEVNULL)
        [tree] = (path for path in Path(folder).iterdir() if path.is_dir())
        engine = tree / "cacao_env" / "engine"
        bitcode = lzma.decompress((engine / "library.bc").read_bytes())
        (engine / "library.bc").unlink()
        [about] = tree.glob("*.dist-info")
        _without(about / "METADATA", "Requires-Dist: llvmlite")
        for name in names:
            system = SYSTEMS[name]
            link(bitcode, system, engine / system.library)
            _without(about / "WHEEL", "Tag: ", "Root-Is-Purelib: ")
            with (about / "WHEEL").open("a") as file:
                file.write(f"Root-Is-Purelib: false\nTag: py3-none-{system.tag}\n")
            pack = ["-m", "wheel", "pack", "-d", str(out), str(tree)]
            subprocess.run([sys.executable, *pack], check=True, stdout=subprocess.DEVNULL)
            made += out.glob(f"*{system.tag}.whl")
            (engine / system.library).unlink()
    return made


def _without(path: Path, *begins: str) -> None:
    """Remove the lines of a file that begin so, and the empty lines at its end."""
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(begins)]
    path.write_text("\n".join(kept).rstrip("\n") + "\n", encoding="utf-8")
