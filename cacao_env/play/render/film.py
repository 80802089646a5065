"""Write a whole game as a film: GIF by Pillow, MP4 by imageio (the extra ``video``).

Pictures are drawn and written one at a time, so a film takes the memory of a few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...checks import need
from ...game import Game
from ..history import frames_of
from .raster import image
from .scene import Extent, Scene, extent_of, scene_of

LAST_SECONDS = 4.0  # that the final position is shown
COLOURS = 128  # of a GIF; one palette for all its pictures, so nothing flickers


def scenes(game: Game, viewer: int | None = None, names: Sequence[str] = ()) -> Iterator[Scene]:
    """Yield a scene for each position of a game from its deal on, all of one size."""
    frames = list(frames_of(game, viewer))
    extents = [extent_of(frame) for frame in frames]
    (tops, bottoms), (lefts, rights) = (tuple(zip(*both)) for both in zip(*extents))
    whole: Extent = ((min(tops), max(bottoms)), (min(lefts), max(rights)))
    for frame in frames:
        yield scene_of(frame, extent=whole, names=names)


def write_film(
    game: Game,
    path: Path,
    tile: float,
    seconds: float,
    viewer: int | None,
    names: Sequence[str] = (),
) -> int:
    """Write a film with ``seconds`` a position; returns the number of positions."""
    count = len(game.elementary_moves()) + 1
    pictures = (image(scene, tile) for scene in scenes(game, viewer, names))
    if path.suffix == ".gif":
        durations = [round(1000 * seconds)] * (count - 1) + [round(1000 * LAST_SECONDS)]
        *_, last = scenes(game, viewer, names)  # has the colours of all
        _write_gif(pictures, durations, image(last, tile).quantize(COLOURS), path)
    else:
        repeats = [1] * (count - 1) + [max(1, round(LAST_SECONDS / seconds))]
        _write_mp4(pictures, repeats, path, seconds)
    return count


def _write_gif(pictures: Iterator[Any], durations: Sequence[int], palette: Any, path: Path) -> None:
    """Write what has changed from one picture to the next; Pillow's own writer keeps them all."""
    from PIL import GifImagePlugin, ImageChops

    before = None
    with path.open("wb") as file:
        for picture, duration in zip(pictures, durations, strict=True):
            now = picture.quantize(palette=palette, dither=0)
            box = (0, 0, *now.size)
            if before is None:
                head, _ = GifImagePlugin.getheader(now, info={"loop": 0})
                file.writelines(head)
            else:
                box = ImageChops.difference(now.convert("RGB"), before).getbbox() or (0, 0, 1, 1)
            parts = GifImagePlugin.getdata(now.crop(box), box[:2], duration=duration)
            file.writelines(parts)
            before = now.convert("RGB")
        file.write(b";")


def _write_mp4(pictures: Iterator[Any], repeats: Sequence[int], path: Path, seconds: float) -> None:
    import numpy as np

    need("imageio_ffmpeg", "imageio-ffmpeg", "video")
    writer: Any = need("imageio.v2", "imageio", "video").get_writer(
        path,
        fps=1 / seconds,
        codec="libx264",
        macro_block_size=2,
        ffmpeg_log_level="fatal",
    )
    with writer as film:
        for picture, times in zip(pictures, repeats, strict=True):
            wide, tall = (side - side % 2 for side in picture.size)  # codecs want even sides
            for _ in range(times):
                film.append_data(np.asarray(picture.crop((0, 0, wide, tall))))
