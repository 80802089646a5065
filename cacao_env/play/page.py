"""The page: one file that plays by the engine inside it; ``page/build.mjs`` makes it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

_PLACE = "globalThis.CACAO_GIVEN=null;"  # the build leaves it for what a command adds


@cache
def _built() -> str:
    return (files(__package__) / "page" / "play.html").read_text(encoding="utf-8")


def page(**given: Any) -> str:
    """Return the page with what a command gives it.

    ``record``: the text of a game record to show.  ``server``: ``{"agents": [{"name", "players",
    "volcanoes"}, ...]}`` of the server that serves the page.
    """
    if not given:
        return _built()
    data = json.dumps(given, separators=(",", ":")).replace("<", "\\u003c")  # ends no script
    before, place, after = _built().partition(_PLACE)
    assert place, "the page has no place for what is given"
    return f"{before}globalThis.CACAO_GIVEN={data};{after}"
