"""Build the page: one file with its styles, scripts and drawings; it fetches nothing from elsewhere.

The same page is served and exported; an exported page contains its game as data.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from ..engine.tiles import EDGES, JUNGLE_KINDS, MAX_PLAYERS, NUM_VARIANTS, VOLCANO, WATER_TRACK
from .render.art import COLOURS, LIGHT, jungle_tile, sign, tile_back, worker_tile
from .render.shapes import Shape
from .render.svg import elements
from .rulebook import blocks, pictures

SCRIPTS = (
    *("base", "words", "board", "eye", "sides", "log", "timeline", "choose", "think", "review"),
    *("play", "start", "rules", "main"),
)
_PAGE = files(__package__) / "page"


def page(title: str, data: dict[str, Any] | None = None) -> str:
    """Return the page; ``data``: a game (packed frames, names) to show without a server."""
    text = _read("page.html")
    parts = {
        "TITLE": _escaped(title),
        "STYLE": _style(),
        "ART": _art(),
        "DATA": _json(data),
        "SCRIPT": _script(),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], text)


@cache
def policy() -> str:
    """Return the Content-Security-Policy of the served page: only its own script, style, server."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'sha256-{_digest(_script())}'",
            f"style-src 'sha256-{_digest(_style())}'",
            "connect-src 'self'",
            "img-src 'self' data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _read(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")


@cache
def _style() -> str:
    colours = "".join(
        f"--seat{seat}:{COLOURS[seat]};--light{seat}:{LIGHT[seat]};" for seat in range(MAX_PLAYERS)
    )
    return f":root{{{colours}}}\n" + _read("page.css")


@cache
def _script() -> str:
    facts = {"WATER": WATER_TRACK.tolist(), "LANGUAGES": languages(), "RULES": blocks()}
    code = "\n".join(_read(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\nconst FACTS = {json.dumps(facts)};\n{code}}})();\n'


@cache
def languages() -> dict[str, dict[str, str]]:
    """Return the languages beside English, each a file ``XX.json``: English text to its own."""
    found = sorted(file.name for file in _PAGE.iterdir() if file.name.endswith(".json"))
    return {name.removesuffix(".json"): json.loads(_read(name)) for name in found}


def _json(data: dict[str, Any] | None) -> str:
    """Data inside a script element: no ``</script>`` can end it."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@cache
def _art() -> str:
    """Drawings as SVG symbols: w-SEAT-EDGES, j-KIND, back-SEAT, sign-SEAT and rules-NAME."""
    symbols = []
    for seat in range(MAX_PLAYERS):
        for variant in range(NUM_VARIANTS):
            edges = tuple(int(n) for n in EDGES[variant])
            name = "".join(map(str, edges))
            symbols.append(_symbol(f"w-{seat}-{name}", worker_tile(seat, edges)))
        symbols.append(_symbol(f"back-{seat}", tile_back(seat)))
        symbols.append(_symbol(f"sign-{seat}", sign(seat, 50, 50, 38)))
    for kind in JUNGLE_KINDS:
        symbols.append(_symbol(f"j-{kind}", jungle_tile(kind)))
    symbols.append(_symbol(f"j-{JUNGLE_KINDS[VOLCANO - 1]}-turned", jungle_tile("volcano", True)))
    for name, scene in pictures().items():
        symbols.append(_symbol(f"rules-{name}", scene.shapes, scene.width, scene.height))
    return "".join(symbols)


def _symbol(name: str, shapes: Any, width: float = 100, height: float = 100) -> str:
    drawn: list[Shape] = list(shapes)
    size = f"0 0 {width:g} {height:g}"
    return f'<symbol id="{name}" viewBox="{size}">{elements(drawn)}</symbol>'
