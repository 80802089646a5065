"""The project's sources as trees: its modules, and what each of them imports from the project."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("cacao_env", "training")


@cache
def modules() -> dict[str, Path]:
    """Every module's file by its dotted name, a package's by its own name."""
    found = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(name: str) -> ast.Module:
    """The tree of a module."""
    return ast.parse(modules()[name].read_text(encoding="utf-8"))


def imports(name: str) -> Iterator[tuple[str, str, str, bool]]:
    """What a module imports: (from where, what or "", called how, whether for types alone)."""
    parts = name.split(".")
    base = parts if modules()[name].name == "__init__.py" else parts[:-1]
    inside = [
        node
        for node in ast.walk(tree(name))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    typing = {id(node) for block in inside for node in ast.walk(block)}
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.ImportFrom):
            above = base[: len(base) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for one in node.names:
                yield source, one.name, one.asname or one.name, id(node) in typing
        elif isinstance(node, ast.Import):
            for one in node.names:
                yield one.name, "", one.asname or one.name, id(node) in typing
