"""Draw the pictures of the documentation.

python -m tests.pictures [FOLDER]   # docs/pictures by default
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cacao_env import record
from cacao_env.agents.agent import play_game
from cacao_env.agents.bots import Bot
from cacao_env.cli import main as cacao
from cacao_env.game import Game
from cacao_env.play.catalogue import Catalogue
from cacao_env.play.render.svg import svg
from cacao_env.play.rulebook import pictures
from cacao_env.play.table import HUMAN, Table
from tests.browser import PHONE, WIDE, Page, browsing, serving
from tests.games import seat_seeds

ROOT = Path(__file__).parent.parent


def recorded(players: int, seed: int, bots: list[str], **options: bool) -> dict:
    """The record of a game of bots."""
    game = Game.new(players, seed, **options)
    play_game(game, [Bot(name).player(s) for name, s in zip(bots, seat_seeds(seed, players))])
    return json.loads(record.dumps(record.record_of(game, players=bots)))


def at_a_sale(seats: list[str], turn: int) -> Table:
    """A table at which a person chooses between sales, from some turn on."""
    for seed in range(200):
        table = Table(seats, seed)
        while not table.game.over:
            sales = [one for one in table.choices() if one["words"].startswith("sell ")]
            if table.game.turn >= turn and len({str(one["worker"]) for one in sales}) > 1:
                return table
            if table.awaits_person:
                table.play(Bot("greedy").player(0).act(table.game.clone()))
            else:
                table.advance()
    raise AssertionError("no such decision")


def draw(folder: Path) -> None:
    """Draw all pictures into a folder."""
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    for name, scene in pictures().items():
        (folder / "rules" / f"{name}.svg").write_text(svg(scene), encoding="utf-8")
    four = recorded(4, 7, ["greedy"] * 4, volcanoes=True)
    (folder / "four.json").write_text(json.dumps(four), encoding="utf-8")
    cacao(["render", str(folder / "four.json"), "--ply", "36", "-o", str(folder / "game.png")])
    (folder / "four.json").unlink()
    catalogue = Catalogue()
    two = catalogue.add_record(recorded(2, 8, ["greedy", "random"]), "a game")
    with browsing() as browser, serving(catalogue) as address:

        def opened(path: str, size: tuple[int, int] = WIDE) -> Page:
            one = Page(browser, size)
            one.page.goto(address + path)
            one.page.wait_for_selector("#seats .seat")
            return one

        def shot(one: Page, name: str) -> None:
            one.page.wait_for_timeout(2500)  # marks of what is new have stopped moving
            one.page.screenshot(path=folder / f"{name}.png")
            assert one.problems == []
            one.page.close()

        one = opened(f"#game={catalogue.games.add(at_a_sale([HUMAN, 'greedy'], 8))}")
        one.page.wait_for_selector("#table .act")
        shot(one, "play")
        one = opened(f"#record={catalogue.add_record(four, 'a game of four')}&ply=60", PHONE)
        shot(one, "phone")
        one = opened(f"#record={two}&ply=9999")
        one.page.click("#ask-review")
        one.page.wait_for_selector("#review .summaries")
        one.page.locator("#review .summaries tr").nth(2).locator("button").last.click()
        shot(one, "review")
        table = Table([HUMAN, "criollo"], 3)
        one = opened(f"#game={catalogue.games.add(table)}")
        one.page.wait_for_selector("#confirm")
        one.page.fill("#thinker", "criollo")
        one.page.click("#run-think")
        one.page.wait_for_selector("#think .moves")
        one.page.locator("#think .moves tr").nth(2).hover()
        shot(one, "think")


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
