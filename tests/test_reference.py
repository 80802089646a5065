"""The API reference has every public name and nothing else.

Public are the names that the documentation's programs import, and the classes that those take and
return (docs/reference/index.md).
"""

import ast
import re
from functools import cache

import pytest

from tests.sources import ROOT, imports, modules, tree

DOCS = ROOT / "docs"
LISTED = sorted(
    name
    for page in (DOCS / "reference").glob("*.md")
    for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.M)
)


@cache
def imported(name):
    """The names that a module imports from this project, and where they come from."""
    found = [one for one in imports(name) if one[0].split(".")[0] == "cacao_env"]
    return {called: f"{source}.{what}" for source, what, called, _ in found}


def defined(full):
    """(where it is defined, its node) of a name that may be imported from elsewhere."""
    home, _, name = full.rpartition(".")
    for node in tree(home).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return full, node
    return defined(imported(home)[name]) if name in imported(home) else (full, None)


def programs():
    for example in (ROOT / "cacao_env" / "check" / "examples").glob("*.py"):  # the libraries' pages
        yield example.read_text(encoding="utf-8")
    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        yield from re.findall(r"^```python.*?\n(.*?)^```", text, re.S | re.M)


def imports_of_the_programs():
    """Names of this project that the documentation's programs import, or use of a module."""
    for program in programs():
        try:
            parsed = ast.parse(program)
        except SyntaxError:  # a sketch of a class
            continue
        used = {}
        for node in ast.walk(parsed):
            if (
                isinstance(node, ast.ImportFrom)
                and (node.module or "").split(".")[0] == "cacao_env"
            ):
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    if full not in modules():
                        yield full
                    else:
                        used[alias.name] = full
        for node in ast.walk(parsed):
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) in used:
                yield f"{used[node.value.id]}.{node.attr}"


def functions_of(node):
    """The function, or a class's constructor and public methods."""
    if isinstance(node, ast.FunctionDef):
        return [node]
    return [
        one
        for one in node.body
        if isinstance(one, ast.FunctionDef)
        and (one.name == "__init__" or not one.name.startswith("_"))
    ]


def classes_of_signatures(full, node):
    """The project's classes in the annotations of a public name."""
    home = full.rpartition(".")[0]
    own = {one.name for one in tree(home).body if isinstance(one, ast.ClassDef)}
    for function in functions_of(node):
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [one for one in (arguments.vararg, arguments.kwarg) if one]
        for note in [function.returns, *(one.annotation for one in every)]:
            for part in ast.walk(note) if note is not None else ():
                name = part.id if isinstance(part, ast.Name) else None
                if name in own:
                    yield f"{home}.{name}"
                elif name in imported(home):
                    where, found = defined(imported(home)[name])
                    if isinstance(found, ast.ClassDef):
                        yield where


def public():
    todo, found = {defined(name)[0] for name in imports_of_the_programs()}, set()
    while todo:
        full = todo.pop()
        found.add(full)
        _, node = defined(full)
        assert node is not None, f"the documentation imports {full}, which is not there"
        todo |= set(classes_of_signatures(full, node)) - found
    return found


def test_every_public_name_is_on_the_reference_and_nothing_else():
    assert len(LISTED) == len(set(LISTED))
    assert sorted(public()) == LISTED


@pytest.mark.parametrize("full", LISTED)
def test_what_is_on_the_reference_is_public_and_explained(full):
    assert not any(part.startswith("_") for part in full.split("."))
    where, node = defined(full)
    assert where == full
    assert ast.get_docstring(node)
    for function in functions_of(node):
        if function.name != "__init__":
            assert ast.get_docstring(function), f"{full}.{function.name}"
