"""Write a whole game as a film: GIF by Pillow, MP4 by imageio (the extra ``video``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...game import Game
from ..position import position_of
from .raster import image
from .scene import Extent, Scene, extent_of, scene_of

LAST_SECONDS = 4.0  # that the final position is shown


def scenes(game: Game, viewer: int | None = None) -> list[Scene]:
    """Return a scene for each position of a game from its deal on, all of one size."""
    positions = [position_of(one, viewer) for one in replayed(game)]
    extents = [extent_of(position) for position in positions]
    (tops, bottoms), (lefts, rights) = (tuple(zip(*both)) for both in zip(*extents))
    whole: Extent = ((min(tops), max(bottoms)), (min(lefts), max(rights)))
    return [scene_of(position, extent=whole) for position in positions]


def replayed(game: Game) -> Iterator[Game]:
    """Yield the game after each of its actions, always the same object."""
    actions = game.history
    one = game.clone()
    while one.ply:
        one.undo()
    yield one
    for action in actions:
        one.play(action)
        yield one


def write_film(game: Game, path: Path, tile: float, seconds: float, viewer: int | None) -> int:
    """Write a film with ``seconds`` a position; returns the number of positions."""
    frames = [image(scene, tile) for scene in scenes(game, viewer)]
    if path.suffix == ".gif":
        durations = [round(1000 * seconds)] * (len(frames) - 1) + [round(1000 * LAST_SECONDS)]
        palette = frames[-1].quantize(128)  # one for all: no flicker
        small = [frame.quantize(palette=palette) for frame in frames]
        small[0].save(path, save_all=True, append_images=small[1:], duration=durations, loop=0)
    else:
        _write_mp4(frames, path, seconds)
    return len(frames)


def _write_mp4(frames: list[Any], path: Path, seconds: float) -> None:
    try:
        import imageio.v2 as imageio
        import imageio_ffmpeg  # noqa: F401
    except ImportError:
        raise ValueError("mp4 needs imageio: pip install 'cacao-env[video]'") from None
    import numpy as np

    repeats = [1] * (len(frames) - 1) + [max(1, round(LAST_SECONDS / seconds))]
    wide, tall = (side - side % 2 for side in frames[0].size)  # codecs want even sides
    writer: Any = imageio.get_writer(
        path,
        fps=1 / seconds,
        codec="libx264",
        macro_block_size=2,
        ffmpeg_log_level="fatal",
    )
    with writer as film:
        for frame, times in zip(frames, repeats):
            for _ in range(times):
                film.append_data(np.asarray(frame.crop((0, 0, wide, tall))))
