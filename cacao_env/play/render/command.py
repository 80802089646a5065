"""``python -m cacao_env render``: pictures and films of recorded games."""

from __future__ import annotations

from pathlib import Path

from ... import record
from ...engine.options import as_seat
from ...game import Game
from ..position import position_of
from .film import write_film
from .raster import image
from .scene import scene_of
from .svg import svg

PICTURES, FILMS = (".png", ".svg"), (".gif", ".mp4")
TILES = (16, 240)  # pixels that a tile may be wide


def render(
    source: str, target: str, ply: int | None, tile: int, seconds: float, viewer: int | None
) -> str:
    """Write a picture of a position, or a film of the game up to it; returns what was written."""
    path = Path(target)
    if path.suffix not in PICTURES + FILMS:
        kinds = ", ".join(kind.removeprefix(".") for kind in PICTURES + FILMS)
        raise ValueError(f"-o is {target!r}, expected a file that ends in one of {kinds}")
    if not TILES[0] <= tile <= TILES[1]:
        raise ValueError(f"--tile is {tile}, expected {TILES[0]} to {TILES[1]} pixels")
    if not 0.02 <= seconds <= 60:
        raise ValueError(f"--seconds is {seconds}, expected 0.02 to 60")
    game, _ = record.positions(record.load(source), ply)
    if viewer is not None:
        as_seat(viewer, game.num_players)
    beside = path.with_name(f".{path.stem}.tmp{path.suffix}")  # a stop leaves no half picture
    try:
        what = _write(game, beside, tile, seconds, viewer)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return f"{path}: {what}"


def _write(game: Game, path: Path, tile: int, seconds: float, viewer: int | None) -> str:
    if path.suffix in FILMS:
        count = write_film(game, path, tile, seconds, viewer)
        return f"{count} positions"
    scene = scene_of(position_of(game, viewer))
    if path.suffix == ".svg":
        path.write_text(svg(scene, tile), encoding="utf-8")
        return "picture"
    picture = image(scene, tile)
    picture.save(path)
    return f"{picture.width} x {picture.height} pixels"
