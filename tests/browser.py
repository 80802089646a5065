"""A real browser without a screen, for the tests of the page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT_PAGE = Path(__file__).parent.parent / "cacao_env" / "play" / "page"
BUILT = ROOT_PAGE / "play.html"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE, PHONE = (1280, 800), (390, 844)


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


class Page:
    """A page of the browser; anything that its console complains of fails the test."""

    def __init__(
        self, browser: Any, size: tuple[int, int] = WIDE, address: str = "", **context: Any
    ) -> None:
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            **{"reduced_motion": "reduce", **context},
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)  # a busy machine is no failure
        self.problems: list[str] = []
        self.asked: set[str] = set()
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda message: self.hears(message))
        self.page.on("request", lambda request: self.asked.add(request.url.split(":")[0]))
        self.page.goto(address or BUILT.as_uri())
        self.page.wait_for_selector("dialog[open], .player")  # a first question, or a game

    def hears(self, message: Any) -> None:
        if message.type == "error":
            self.problems.append(message.text)


def begin(page: Any, level: str = "", seats: tuple[str, ...] = (), **more: Any) -> None:
    """A new game by the form; ``seats``: "" for a person, or a level, for each seat."""
    if page.locator(".player").count():
        page.click("#new")
    page.wait_for_selector("#begin")
    players = len(seats) or more.get("players", 2)
    page.check(f"input[name=players][value='{players}']", force=True)
    if level:
        page.check(f"input[name=level][value={level}]", force=True)
    page.click(".more summary")
    page.fill("#seed", str(more.get("seed", 1)))
    for number, seat in enumerate(seats):
        page.select_option(f"#seat{number}", seat)
    if more.get("volcanoes"):
        page.check("#volcanoes")
    page.click("#begin")
    page.wait_for_selector(".player")
    page.wait_for_selector("#confirm, #lift-curtain, #pause")


def drop(page: Any, name: str, text: str) -> None:
    page.evaluate(
        """([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name, { type: "application/json" }));
            const how = { dataTransfer: data, bubbles: true, cancelable: true };
            document.dispatchEvent(new DragEvent("drop", how));
        }""",
        [name, text],
    )


def cells(page: Any, of: str) -> list[list[float]]:
    """Where the middles of marked cells are, in pixels: ``.legal``, ``.fill rect``, ``.offered``."""
    return page.evaluate(
        """(of) => [...document.querySelectorAll("#eye " + of)].map((one) => {
            const box = one.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        })""",
        of,
    )


def choose(page: Any, number: int = 0, touch: bool = False) -> str:
    """Choose something where a person decides, by the mouse or by touch; return the phase."""
    page.wait_for_selector("#confirm")
    phase: str = page.get_attribute(".decision", "data-phase")
    things = page.locator(".acts button" if phase == "act" else ".hand .pickable")
    thing = things.nth(number % things.count())
    thing.tap() if touch else thing.click()
    if phase != "act" and page.locator("#confirm:disabled").count():
        marked = cells(page, ".legal" if phase == "place" else ".fill rect")
        (page.touchscreen.tap if touch else page.mouse.click)(*marked[number % len(marked)])
    return phase


def decide(page: Any, number: int = 0) -> None:
    choose(page, number)
    page.click("#confirm")


def play_on(page: Any, decisions: int = 10**6) -> int:
    """Play for the person until the end, or some decisions; return how many were made."""
    for number in range(decisions):
        page.wait_for_selector("#confirm, #result")
        if page.locator("#result").count():
            return number
        decide(page, number)
    page.wait_for_selector("#confirm, #lift-curtain, #result")
    return decisions


def go(page, ply):
    """Show the position after so many decisions."""
    page.evaluate(
        """(ply) => {
            const slider = document.getElementById("slider");
            slider.value = ply;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        ply,
    )


def progress_of(page: Any, solved: int = 0) -> Any:
    """What the page keeps of puzzles, once it keeps it and so many are solved."""
    kept = page.wait_for_function(
        """(solved) => new Promise((answer) => {
            indexedDB.open("cacao").onsuccess = ({ target }) => {
                const kept = target.result.transaction("settings").objectStore("settings");
                kept.get("progress").onsuccess = ({ target: { result } }) => {
                    target.result.close();
                    answer(result && Object.keys(result.solved).length >= solved && result);
                };
            };
        })""",
        arg=solved,
    )
    return kept.json_value()
