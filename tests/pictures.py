"""Draw the pictures of the documentation.

python -m tests.pictures [FOLDER]   # docs/pictures by default
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cacao_env import record
from cacao_env.cli import main as cacao
from cacao_env.render.art import INK, UNIT, jungle_tile, rect, words, worker_tile
from cacao_env.render.scene import MARGIN, NEWEST, SHEET, Scene, table
from tests.browser import PHONE, WIDE, Page, begin, browsing, drop, play_on
from tests.games import played_by_bots
from tests.sources import ROOT

GAP = 10.0
BLUE, ORANGE, GREEN = range(3)
WORKERS = ((1, 1, 1, 1), (2, 1, 0, 1), (3, 0, 0, 1), (3, 1, 0, 0))

# --- The rules ------------------------------------------------------------------------------------


def rules() -> dict[str, Scene]:
    return {
        "workers": row(len(WORKERS), lambda k, x: worker_tile(BLUE, WORKERS[k], x, 0)),
        "plantations": jungle("plantation1", "plantation2"),
        "markets": jungle("market2", "market3", "market4"),
        "mines": jungle("mine1", "mine2"),
        "water": jungle("water"),
        "sun": jungle("sun"),
        "temple": jungle("temple"),
        "volcanoes": row(2, lambda k, x: jungle_tile("volcano", k == 1, x, 0)),
        "turn": a_turn(),
        "temples": a_temple(),
    }


def row(count: int, draw: Any) -> Scene:
    drawn = "".join(draw(number, number * (UNIT + GAP)) for number in range(count))
    return Scene(drawn, count * (UNIT + GAP) - GAP, UNIT)


def jungle(*kinds: str) -> Scene:
    return row(len(kinds), lambda k, x: jungle_tile(kinds[k], False, x, 0))


def worker_on(row: int, column: int, owner: int, edges: str, last: bool = False) -> dict[str, Any]:
    sides = [int(count) for count in edges]
    return {"row": row, "column": column, "last": last, "owner": owner, "edges": sides, "under": []}


def jungle_on(row: int, column: int, kind: str, last: bool = False) -> dict[str, Any]:
    return {"row": row, "column": column, "last": last, "kind": kind, "turned": False}


def panels(drawings: Sequence[str], width: float, height: float) -> Scene:
    """Pictures of one size side by side, on a sheet."""
    drawn = rect(0, 0, len(drawings) * width, height, 12, f'fill="{SHEET}"')
    for number, one in enumerate(drawings):
        drawn += f'<g transform="translate({number * width:g} 0)">{one}</g>'
    return Scene(drawn, len(drawings) * width, height)


def mark(row: int, column: int, side: int) -> str:
    """A ring around the workers of an edge; sides as in the rules: north, east, south, west."""
    down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[side]
    x = MARGIN + (column + 0.5 + 0.33 * right) * UNIT
    y = MARGIN + (row + 0.5 + 0.33 * down) * UNIT
    wide, tall = (30, 17) if down else (17, 30)
    size = f'cx="{x:g}" cy="{y:g}" rx="{wide}" ry="{tall}"'
    return f'<ellipse {size} fill="none" stroke="{NEWEST}" stroke-width="5"/>'


def a_turn() -> Scene:
    """A turn in three steps: the placement, the fill, and who acts."""
    own, other = (1, 0), (2, 1)
    ground = [jungle_on(0, 0, "plantation1"), jungle_on(1, 1, "market2")]
    ground.append(worker_on(*other, ORANGE, "1111"))
    placed, settled = (worker_on(*own, BLUE, "1210", last) for last in (True, False))
    filled, water = (jungle_on(2, 0, "water", last) for last in (True, False))
    steps = ([*ground, placed], [*ground, settled, filled], [*ground, settled, water])
    drawings = []
    for number, tiles in enumerate(steps, 1):
        fill = [(2, 0)] if number == 1 else []
        drawings.append(table({"tiles": tiles, "open": [], "fill": fill}, 0, 0))
        drawings[-1] += words(MARGIN + 150, MARGIN + 50, f"{number}.", 40, INK, "middle")
    drawings[2] += mark(*own, 0) + mark(*own, 1) + mark(*own, 2) + mark(*other, 3)
    return panels(drawings, 2 * UNIT + 2 * MARGIN, 3 * UNIT + 2 * MARGIN)


def a_temple() -> Scene:
    """A temple with the workers of three players."""
    tiles = [
        jungle_on(1, 1, "temple"),
        worker_on(0, 1, BLUE, "0121"),
        worker_on(1, 0, ORANGE, "1111"),
        worker_on(2, 1, BLUE, "1210"),
        worker_on(1, 2, GREEN, "1111"),
    ]
    drawn = table({"tiles": tiles, "open": [], "fill": []}, 0, 0)
    drawn += mark(0, 1, 2) + mark(1, 0, 1) + mark(2, 1, 0) + mark(1, 2, 3)
    return panels([drawn], 3 * UNIT + 2 * MARGIN, 3 * UNIT + 2 * MARGIN)


# --- The page -------------------------------------------------------------------------------------


def recorded(players: int, seed: int, bots: list[str], **options: bool) -> str:
    game = played_by_bots(players, seed, bots, **options)
    return record.dumps(record.record_of(game, players=bots))


def draw(folder: Path) -> None:
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    for name, scene in rules().items():
        (folder / "rules" / f"{name}.svg").write_text(scene.svg(), encoding="utf-8")
    four = folder / "four.json"
    four.write_text(recorded(4, 7, ["greedy"] * 4, volcanoes=True), encoding="utf-8")
    cacao(["render", str(four), "--ply", "36", "-o", str(folder / "game.png")])
    with browsing() as browser:

        @contextmanager
        def shot(name: str, size: tuple[int, int] = WIDE, **context: bool) -> Iterator[Any]:
            one = Page(browser, size, **context)
            yield one.page
            one.page.screenshot(path=folder / f"{name}.png")
            assert one.problems == []
            one.context.close()

        with shot("play") as page:
            begin(page, "chief", players=3, seed=5)
            play_on(page, 9)
        with shot("phone", PHONE, is_mobile=True, has_touch=True) as page:
            begin(page, "grower", players=4, seed=5)
            play_on(page, 8)
        with shot("review") as page:
            drop(page, "game.json", recorded(2, 8, ["greedy", "random"]))
            page.click("#ask-review")
            page.wait_for_selector(".curve .tabs", timeout=180_000)
            page.click("#next-mistake")
        with shot("think") as page:
            begin(page, "chief", seed=3)
            page.select_option("#thinker", "chief")
            page.click("#run-think")
            page.wait_for_selector(".lines tr")
    four.unlink()


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
