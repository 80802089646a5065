"""A real browser without a screen, for the tests of the page."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT_PAGE = Path(__file__).parent.parent / "cacao_env" / "play" / "page"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE, PHONE = (1280, 800), (400, 850)


def chromium() -> str:
    """Where Chromium is; the test is skipped, and says why, where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("no Chromium here: install the package chromium to test the page in a browser")


@contextmanager
def browsing() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def review_quickly(patch: pytest.MonkeyPatch) -> None:
    """Let reviews compare moves by a few games: they say less, and look the same.

    With 18 no mean lies half way between two texts, where Python and the page round differently.
    """
    patch.setattr("cacao_env.play.review.CHOOSING", 3)
    patch.setattr("cacao_env.play.review.COMPARING", 18)


class Page:
    """A page of the browser; anything that its console complains of fails the test."""

    def __init__(self, browser: Any, size: tuple[int, int] = WIDE, **context: Any) -> None:
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]}, **context)
        self.page.set_default_timeout(180_000)  # a first answer may have to be compiled
        self.problems: list[str] = []
        self.asked: set[str] = set()
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda message: self.hears(message))
        self.page.on("request", lambda request: self.asked.add(request.url.split("/")[2]))

    def hears(self, message: Any) -> None:
        """Note an error on the console."""
        if message.type == "error":
            self.problems.append(message.text)


@contextmanager
def serving(catalogue: Any) -> Iterator[str]:
    """A running viewer; its address."""
    from cacao_env.play.server import HOST, listening, server

    bound = listening(0)
    running = server(catalogue, bound)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{bound.getsockname()[1]}/"
    finally:
        running.should_exit = True
        thread.join(10)
        bound.close()


def shots(page: Any, name: str) -> None:
    """Keep a picture for people to look at, where the environment names a folder."""
    import os

    if folder := os.environ.get("CACAO_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")


def table_point(page, cell):
    """Pixels of a cell's middle."""
    return page.evaluate(
        """([row, column]) => {
            const table = document.getElementById("table");
            const point = new DOMPoint(column * 100 + 50, row * 100 + 50);
            const seen = point.matrixTransform(table.getScreenCTM());
            return [seen.x, seen.y];
        }""",
        cell,
    )


def click_cell(page, cell):
    page.mouse.click(*table_point(page, cell))


def begin(page, *seats, seed=1, volcanoes=False):
    """A new game by the form, which a page without a game opens by itself."""
    page.wait_for_selector("#begin")
    page.select_option("#players-count", str(len(seats)))
    for number, name in enumerate(seats):
        listed = page.locator(f"select[name=seat{number}] option[value='{name}']").count()
        page.select_option(f"select[name=seat{number}]", name if listed else "other")
        if not listed:
            page.fill(f"input[name=other{number}]", name)
    page.fill("#seed", str(seed))
    if volcanoes:
        page.check("#volcanoes")
    page.click("#begin")
    page.wait_for_selector("#seats .seat")


def newest(catalogue):
    """The table of the newest game; the page waits until the server has it."""
    return list(catalogue.games.kept.values())[-1].table


def drop(page, name, text):
    page.evaluate(
        """([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name, { type: "application/json" }));
            const how = { dataTransfer: data, bubbles: true, cancelable: true };
            document.dispatchEvent(new DragEvent("drop", how));
        }""",
        [name, text],
    )
