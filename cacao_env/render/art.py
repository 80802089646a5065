"""The drawings: symbols of ``art.svg``, which the page uses too, each on a square of side UNIT.

Owners differ in colour and in the sign on the hut; the colours are close to those of Okabe and Ito,
which suit any kind of colour vision.  A picture is SVG text that refers to symbols, and
``document`` adds them.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.resources import files

UNIT = 100.0
COLOURS = ("#0072B2", "#D55E00", "#00805A", "#B0559A")
LIGHT = ("#CFE6F5", "#FBDDC9", "#CDEBE0", "#F1D9EA")
DARK = ("#004A75", "#8A3C00", "#00513A", "#713462")
INK, PAPER, SHADE = "#2B2622", "#FFFDF7", "#8A8178"
FONT = "'DejaVu Sans', Verdana, 'Helvetica Neue', Arial, sans-serif"
_REFERENCE = re.compile(r'(?:href="#|url\(#)([\w-]+)')
_OWNED = ("field", "worker", "workers1", "workers2", "workers3", "back", "sign")


@cache
def _symbols() -> dict[str, str]:
    """The symbols and gradients of ``art.svg`` by name."""
    text = (files(__package__) / "art.svg").read_text(encoding="utf-8")
    found = re.findall(r'(<(symbol|linearGradient) [^>]*?\bid="([\w-]+)".*?</\2>)', text, re.S)
    return {name: whole for whole, _, name in found}


@cache
def _symbol(name: str) -> str:
    """A symbol as it stands in a picture; one of a player has the player's number and colours."""
    if name in _symbols() and name.partition("-")[0] not in _OWNED:
        return _symbols()[name]
    base, owner = name.rsplit("_", 1)
    text = _symbols()[base].replace(f'id="{base}"', f'id="{name}"')
    text = re.sub(r"#(worker)\"", rf'#\1_{owner}"', text)
    colours = {"own": COLOURS, "pale": LIGHT, "deep": DARK}
    return re.sub(r"var\(--(\w+)\)", lambda found: colours[found[1]][int(owner)], text)


def document(drawn: str, width: float, height: float, tile: float = 60.0) -> str:
    """Return SVG text that needs no other file; a tile is ``tile`` pixels wide."""
    used: dict[str, str] = {}
    waiting = _REFERENCE.findall(drawn)
    while waiting:
        name = waiting.pop()
        if name not in used:
            used[name] = _symbol(name)
            waiting += _REFERENCE.findall(used[name])
    wide, high = (f"{side * tile / UNIT:.0f}" for side in (width, height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="0 0 {number(width)} {number(height)}" font-family="{FONT}">'
        f"<defs>{''.join(used[name] for name in sorted(used))}</defs>{drawn}</svg>\n"
    )


def number(value: float) -> str:
    """Return a number with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def symbol(name: str, x: float, y: float, size: float = UNIT, more: str = "") -> str:
    """Draw a symbol ``size`` wide with its upper left corner at a point."""
    at = f'x="{number(x)}" y="{number(y)}" width="{number(size)}" height="{number(size)}"'
    return f'<use href="#{name}" {at}{more}/>'


def words(
    x: float,
    y: float,
    text: str,
    size: float,
    fill: str = INK,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    """Draw one line of text around the height ``y``."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{number(x)}" y="{number(y + 0.36 * size)}" font-size="{number(size)}" '
        f'fill="{fill}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
    )


def rect(
    x: float, y: float, width: float, height: float, radius: float, paint: str = 'fill="none"'
) -> str:
    """Draw a rectangle with round corners."""
    sides = f'width="{number(width)}" height="{number(height)}"'
    return f'<rect x="{number(x)}" y="{number(y)}" {sides} rx="{number(radius)}" {paint}/>'


def sign(owner: int, x: float, y: float, size: float) -> str:
    """Draw a player's sign around a point: disc, square, triangle or diamond."""
    return symbol(f"sign-{owner}_{owner}", x - size, y - size, 2 * size)


def worker_tile(owner: int, edges: tuple[int, ...], x: float, y: float, size: float = UNIT) -> str:
    """Draw a worker tile; ``edges``: workers on the north, east, south and west edge."""
    drawn = [symbol(f"field_{owner}", 0, 0)]
    for side, count in enumerate(edges):
        if count:
            turned = f' transform="rotate({90 * side} 50 50)"'
            drawn.append(symbol(f"workers{count}_{owner}", 0, 0, UNIT, turned))
    drawn.append(sign(owner, 50, 61, 11))
    place = f"translate({number(x)} {number(y)}) scale({number(size / UNIT)})"
    return f'<g transform="{place}">{"".join(drawn)}</g>'


def tile_back(owner: int, x: float, y: float, size: float) -> str:
    """Draw a worker tile face down."""
    middle = size / 2
    return symbol(f"back_{owner}", x, y, size) + sign(owner, x + middle, y + middle, 0.17 * size)


def jungle_tile(kind: str, turned: bool, x: float, y: float, size: float = UNIT) -> str:
    """Draw a jungle tile; ``turned``: a volcano that pays north and south."""
    return symbol(f"j-{kind}{'-turned' if turned else ''}", x, y, size)
