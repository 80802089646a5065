"""The rules for people: the text of ``page/rules.md`` and its pictures, drawn from shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from .render.art import INK, jungle_tile, worker_tile
from .render.scene import MARGIN, NEWEST, SHEET, Scene, table
from .render.shapes import UNIT, Ellipse, Rect, Shape, Words, moved

Block = dict[str, Any]
_PICTURE = re.compile(r"!\[(.*?)\]\(pictures/rules/(\w+)\.svg\)")
_GAP = 10.0
BLUE, ORANGE, GREEN = range(3)


@cache
def blocks() -> list[Block]:
    """Return the text in order: each block has one of head, text, items, picture and rows."""
    text = (files(__package__) / "page" / "rules.md").read_text(encoding="utf-8")
    return [_block(part) for part in re.split(r"\n{2,}", text.strip())[1:]]


def _block(part: str) -> Block:
    if part.startswith("## "):
        return {"head": part[3:]}
    if part.startswith("| "):
        rows = [line.strip("| ").split(" | ") for line in part.split("\n")]
        return {"rows": [rows[0], *([_picture(row[0]), *row[1:]] for row in rows[2:])]}
    if found := _PICTURE.fullmatch(part):
        return {"picture": _picture(found[0])}
    items = re.split(r"(?:^|\n)(?:- |\d\. )", part)
    if len(items) > 1:
        return {"items": [_line(one) for one in items[1:]], "numbered": part.startswith("1. ")}
    return {"text": _line(part)}


def _line(text: str) -> str:
    return " ".join(text.split())


def _picture(text: str) -> Block:
    found = _PICTURE.fullmatch(text)
    assert found, text
    scene = pictures()[found[2]]
    return {"name": found[2], "words": found[1], "size": [scene.width, scene.height]}


@cache
def pictures() -> dict[str, Scene]:
    """Return the pictures of the rules by name."""
    return {
        "workers": _row([worker_tile(BLUE, edges) for edges in _WORKERS]),
        "plantations": _row([jungle_tile("plantation1"), jungle_tile("plantation2")]),
        "markets": _row([jungle_tile(f"market{price}") for price in (2, 3, 4)]),
        "mines": _row([jungle_tile("mine1"), jungle_tile("mine2")]),
        "water": _row([jungle_tile("water")]),
        "sun": _row([jungle_tile("sun")]),
        "temple": _row([jungle_tile("temple")]),
        "volcanoes": _row([jungle_tile("volcano"), jungle_tile("volcano", True)]),
        "turn": _turn(),
        "temples": _temple(),
    }


_WORKERS = ((1, 1, 1, 1), (2, 1, 0, 1), (3, 0, 0, 1), (3, 1, 0, 0))


def _row(tiles: Sequence[Sequence[Shape]]) -> Scene:
    """Tiles side by side."""
    shapes: list[Shape] = []
    for number, tile in enumerate(tiles):
        shapes += moved(tile, number * (UNIT + _GAP), 0)
    return Scene(shapes, len(tiles) * (UNIT + _GAP) - _GAP, UNIT, (0, 0))


def _worker(row: int, column: int, owner: int, edges: str, last: bool = False) -> dict[str, Any]:
    sides = [int(count) for count in edges]
    return {"row": row, "column": column, "last": last, "owner": owner, "edges": sides, "under": []}


def _jungle(row: int, column: int, kind: str) -> dict[str, Any]:
    return {"row": row, "column": column, "last": False, "kind": kind, "turned": False}


def _panels(panels: Sequence[list[Shape]], width: float, height: float) -> Scene:
    """Pictures of one size side by side, on a sheet."""
    shapes: list[Shape] = [Rect(0, 0, len(panels) * width, height, 12, SHEET)]
    for number, panel in enumerate(panels):
        shapes += moved(panel, number * width, 0)
    return Scene(shapes, len(panels) * width, height, (0, 0))


def _mark(row: int, column: int, side: int) -> Shape:
    """A ring around the workers of an edge; sides as in the rules: north, east, south, west."""
    down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[side]
    x = MARGIN + (column + 0.5 + 0.33 * right) * UNIT
    y = MARGIN + (row + 0.5 + 0.33 * down) * UNIT
    wide, tall = (30, 17) if down else (17, 30)
    return Ellipse(x, y, wide, tall, None, NEWEST, 5)


def _turn() -> Scene:
    """A turn in three steps: the placement, the fill, and who acts."""
    own, other = (1, 0), (2, 1)
    ground = [_jungle(0, 0, "plantation1"), _jungle(1, 1, "market2")]
    ground.append(_worker(*other, ORANGE, "1111"))
    water = _jungle(2, 0, "water")
    placed, settled = (_worker(*own, BLUE, "1210", last) for last in (True, False))
    panels = [
        table({"tiles": [*ground, placed], "open": [], "fill": [(2, 0)]}, 0, 0),
        table({"tiles": [*ground, settled, {**water, "last": True}], "open": [], "fill": []}, 0, 0),
        table({"tiles": [*ground, settled, water], "open": [], "fill": []}, 0, 0),
    ]
    panels[2] += [_mark(*own, 0), _mark(*own, 1), _mark(*own, 2), _mark(*other, 3)]
    for number, panel in enumerate(panels, 1):
        panel.append(Words(MARGIN + 1.5 * UNIT, MARGIN + 0.5 * UNIT, f"{number}.", 40, INK))
    return _panels(panels, 2 * UNIT + 2 * MARGIN, 3 * UNIT + 2 * MARGIN)


def _temple() -> Scene:
    """A temple with the workers of three players."""
    tiles = [
        _jungle(1, 1, "temple"),
        _worker(0, 1, BLUE, "0121"),
        _worker(1, 0, ORANGE, "1111"),
        _worker(2, 1, BLUE, "1210"),
        _worker(1, 2, GREEN, "1111"),
    ]
    panel = table({"tiles": tiles, "open": [], "fill": []}, 0, 0)
    panel += [_mark(0, 1, 2), _mark(1, 0, 1), _mark(2, 1, 0), _mark(1, 2, 3)]
    return _panels([panel], 3 * UNIT + 2 * MARGIN, 3 * UNIT + 2 * MARGIN)
