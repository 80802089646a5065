"""The drawings of the tiles, each a few shapes on a square of side UNIT.

Owners differ in colour and in the sign in the middle; the colours are close to those of Okabe and Ito,
which suit any kind of colour vision.  A jungle tile's kind shows in its ground, picture and number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from .shapes import UNIT, Ellipse, Polygon, Rect, Shape, Words, moved, turned

COLOURS = ("#0072B2", "#D55E00", "#00805A", "#B0559A")
LIGHT = ("#CFE6F5", "#FBDDC9", "#CDEBE0", "#F1D9EA")
INK, PAPER, SHADE = "#2B2622", "#FFFDF7", "#8A8178"
GROUNDS = {
    "plantation": "#A9CF8C",
    "market": "#F3D58B",
    "mine": "#C6C2BC",
    "water": "#A7D8EE",
    "sun": "#FFE39A",
    "temple": "#D9CBB6",
    "volcano": "#C98A74",
}
_HALF = UNIT / 2
STALK = "#4F6B2E"


def ground_of(kind: str) -> str:
    """Return the ground of a jungle tile: its kind without the number."""
    return kind.rstrip("0123456789")


@cache
def worker_tile(owner: int, edges: tuple[int, int, int, int]) -> tuple[Shape, ...]:
    """Draw a worker tile; ``edges``: workers on the north, east, south and west edge."""
    shapes: list[Shape] = [Rect(2, 2, 96, 96, 10, LIGHT[owner], COLOURS[owner], 4)]
    shapes += sign(owner, _HALF, _HALF, 15)
    for side, count in enumerate(edges):
        shapes += turned(_workers(count, COLOURS[owner]), side)
    return tuple(shapes)


def sign(owner: int, x: float, y: float, size: float) -> list[Shape]:
    """Draw a player's sign: disc, square, triangle or diamond."""
    colour = COLOURS[owner]
    if owner == 0:
        return [Ellipse(x, y, size, size, colour)]
    if owner == 1:
        side = 1.75 * size
        return [Rect(x - side / 2, y - side / 2, side, side, 2, colour)]
    if owner == 2:
        corners: tuple[tuple[float, float], ...] = ((0.0, -1.15), (1.1, 0.8), (-1.1, 0.8))
    else:
        corners = ((0.0, -1.25), (1.05, 0.0), (0.0, 1.25), (-1.05, 0.0))
    return [Polygon(tuple((x + size * a, y + size * b) for a, b in corners), colour)]


def _workers(count: int, colour: str) -> list[Shape]:
    """Workers side by side along the north edge, heads to the middle."""
    shapes: list[Shape] = []
    for number in range(count):
        x = _HALF + (number - (count - 1) / 2) * 22
        shapes.append(Polygon(((x - 8.5, 6), (x + 8.5, 6), (x + 4.5, 19), (x - 4.5, 19)), colour))
        shapes.append(Ellipse(x, 22.5, 6, 6, colour))
    return shapes


@cache
def jungle_tile(kind: str, is_turned: bool = False) -> tuple[Shape, ...]:
    """Draw a jungle tile; ``is_turned``: a volcano that pays north and south."""
    ground = ground_of(kind)
    shapes: list[Shape] = [Rect(2, 2, 96, 96, 10, GROUNDS[ground], INK, 2.5)]
    number = int(kind[len(ground) :] or 0)
    drawn: list[Shape]
    if ground == "plantation":
        drawn = _pods(number)
    elif ground == "market":
        drawn = _stall(number)
    elif ground == "mine":
        drawn = _nuggets(number)
    else:
        drawn = {"water": _drop, "sun": _sun, "temple": _temple, "volcano": _volcano}[ground]()
        if ground == "volcano":
            drawn += turned(_volcano_gold(), int(is_turned))
    return tuple(shapes + drawn)


def _pods(count: int) -> list[Shape]:
    """One or two cacao pods."""
    places = [(50.0, 50.0)] if count == 1 else [(33.0, 50.0), (67.0, 50.0)]
    shapes: list[Shape] = []
    for x, y in places:
        shapes.append(
            Polygon(((x - 2, y - 34), (x + 2, y - 34), (x + 2, y - 24), (x - 2, y - 24)), "#4F6B2E")
        )
        shapes.append(Ellipse(x, y, 14, 27, "#8A4B20", INK, 2))
        for off in (-6, 0, 6):
            shapes.append(Ellipse(x + off, y, 0.9, 22 - abs(off), "#5C2F12"))
    return shapes


def _stall(price: int) -> list[Shape]:
    """A market stall with the price that it pays."""
    shapes: list[Shape] = []
    for number in range(6):
        x = 14 + 12 * number
        colour = "#C0392B" if number % 2 == 0 else PAPER
        shapes.append(Polygon(((x, 12), (x + 12, 12), (x + 12, 30), (x, 30)), colour))
        shapes.append(Ellipse(x + 6, 30, 6, 5, colour))
    shapes.append(Rect(14, 12, 72, 18, 0, None, INK, 2))
    shapes.append(Ellipse(50, 63, 24, 24, "#F2B705", INK, 2.5))
    shapes.append(Words(50, 64, str(price), 36, INK, bold=True))
    return shapes


def _nuggets(count: int) -> list[Shape]:
    """Gold in grey stone, and how much."""
    stone = ((12.0, 86.0), (26.0, 44.0), (44.0, 24.0), (62.0, 38.0), (80.0, 52.0), (90.0, 86.0))
    shapes: list[Shape] = [Polygon(stone, "#7D7870", INK, 2)]
    places = [(50.0, 62.0)] if count == 1 else [(35.0, 66.0), (65.0, 66.0)]
    for x, y in places:
        nugget = ((-13, 3), (-6, -10), (6, -12), (14, 0), (8, 11), (-7, 12))
        shapes.append(Polygon(tuple((x + a, y + b) for a, b in nugget), "#F2B705", INK, 2))
    return shapes


def _drop() -> list[Shape]:
    """A drop of water over waves."""
    drop = [(50.0, 14.0)]
    for step in range(13):
        angle = math.radians(-35 + step * 250 / 12)
        drop.append((50 + 19 * math.cos(angle), 48 + 19 * math.sin(angle)))
    shapes: list[Shape] = [Polygon(tuple(drop), "#1F78B4", INK, 2), Ellipse(43, 50, 4, 7, PAPER)]
    for y in (78, 88):
        points = [(14 + 3.0 * k, y + 3.5 * math.sin(k * 0.75)) for k in range(25)]
        low = [(x, b + 4) for x, b in reversed(points)]
        shapes.append(Polygon(tuple(points + low), "#1F78B4"))
    return shapes


def _sun() -> list[Shape]:
    """A sun with rays."""
    shapes: list[Shape] = []
    for k in range(12):
        a, b, c = (math.radians(30 * k + off) for off in (-9, 0, 9))
        ray = (
            (50 + 25 * math.cos(a), 50 + 25 * math.sin(a)),
            (50 + 42 * math.cos(b), 50 + 42 * math.sin(b)),
            (50 + 25 * math.cos(c), 50 + 25 * math.sin(c)),
        )
        shapes.append(Polygon(ray, "#E8890C"))
    return [*shapes, Ellipse(50, 50, 23, 23, "#F7A707", INK, 2.5)]


def _temple() -> list[Shape]:
    """A stepped pyramid."""
    shapes: list[Shape] = []
    for number, (width, colour) in enumerate(((76, "#8C6D46"), (56, "#A3835A"), (38, "#B99A70"))):
        shapes.append(Rect(50 - width / 2, 66 - 18 * number, width, 18, 1, colour, INK, 2))
    shapes.append(Rect(38, 16, 24, 15, 1, "#CDB28B", INK, 2))
    shapes.append(Rect(44, 30, 12, 54, 0, "#6B5030"))
    return shapes


def _volcano() -> list[Shape]:
    """A mountain with fire."""
    mountain = ((22.0, 76.0), (41.0, 34.0), (59.0, 34.0), (78.0, 76.0))
    fire = ((41.0, 34.0), (44.0, 20.0), (49.0, 29.0), (53.0, 16.0), (56.0, 28.0), (59.0, 34.0))
    flow = ((45.0, 34.0), (55.0, 34.0), (58.0, 52.0), (51.0, 46.0), (46.0, 58.0))
    return [
        Polygon(mountain, "#5B3A30", INK, 2),
        Polygon(fire, "#F7A707", INK, 1.5),
        Polygon(flow, "#E4572E"),
    ]


def _volcano_gold() -> list[Shape]:
    """The gold of each side: +2 east and west, -1 north and south."""
    found: list[Shape] = []
    for x, y, text in ((50, 11, "-1"), (89, 50, "+2"), (50, 89, "-1"), (11, 50, "+2")):
        colour = "#F2B705" if text == "+2" else "#3A2A25"
        found.append(Ellipse(x, y, 10, 10, colour, INK, 1.5))
        found.append(Words(x, y + 0.5, text, 12, INK if text == "+2" else PAPER, bold=True))
    return found


def gold_coin(x: float, y: float, size: float) -> list[Shape]:
    """Draw a coin."""
    return [Ellipse(x, y, size, size, "#F2B705", INK, 0.12 * size)]


def cacao_fruit(x: float, y: float, size: float, there: bool) -> list[Shape]:
    """Draw a storage place, with or without cacao."""
    if not there:
        return [Ellipse(x, y, 0.6 * size, size, None, SHADE, 0.1 * size)]
    return [Ellipse(x, y, 0.6 * size, size, "#8A4B20", INK, 0.12 * size)]


def sun_token(x: float, y: float, size: float, there: bool) -> list[Shape]:
    """Draw a place for a sun token, with or without one."""
    if not there:
        return [Ellipse(x, y, size, size, None, SHADE, 0.1 * size)]
    return [Ellipse(x, y, size, size, "#F7A707", INK, 0.12 * size)]


def tile_back(owner: int) -> tuple[Shape, ...]:
    """Draw a worker tile face down."""
    return (Rect(2, 2, 96, 96, 10, COLOURS[owner], INK, 3), *_on_back(owner))


def _on_back(owner: int) -> Sequence[Shape]:
    white: list[Shape] = [Ellipse(50, 50, 26, 26, PAPER)]
    return white + sign(owner, 50, 50, 15)


def small(shapes: Sequence[Shape], x: float, y: float, size: float) -> list[Shape]:
    """Draw a tile ``size`` wide with its upper left corner at a point."""
    return moved(shapes, x, y, size / UNIT)
