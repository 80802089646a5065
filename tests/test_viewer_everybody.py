"""The page for everybody: keyboard, screen reader, phone, zoom, dark; and nothing lost on the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cacao_env import record
from cacao_env.play.catalogue import Catalogue
from cacao_env.play.table import HUMAN, Table
from tests.browser import (
    PHONE,
    WIDE,
    Page,
    begin,
    click_cell,
    drop,
    newest,
    review_quickly,
    serving,
    shots,
    table_point,
)


def add_record(catalogue, seats=2):
    table = Table(["greedy"] * seats, 3)
    while not table.game.over:
        table.advance()
    name = catalogue.add_record(json.loads(record.dumps(table.record())), "a.json")
    return f"#record={name}", table.history.frames


# --- Keyboard and screen reader -------------------------------------------------------------------


def test_a_whole_game_by_the_keyboard_alone(opened, catalogue):
    one = opened(reduced_motion="reduce")
    page, press = one.page, one.page.keyboard.press
    page.wait_for_selector("#begin")
    for _ in range(3):  # from the number of players over seat 1 and its name to seat 2
        press("Tab")
    page.keyboard.type("greedy")
    assert page.input_value("select[name=seat1]") == "greedy"
    for _ in range(3):
        press("Tab")
    page.keyboard.type("5")
    press("Enter")
    page.wait_for_selector("#confirm")
    table = newest(catalogue)
    assert table.seats == [HUMAN, "greedy"]
    for number in range(120):
        page.wait_for_function(
            "() => document.getElementById('confirm') || !document.getElementById('result').hidden"
        )
        if table.game.over:
            break
        before, choices = len(table.history), table.choices()
        if choices[0]["kind"] in ("place", "overbuild"):
            press(str(1 + number % 2))
        for _ in range(60):
            if page.evaluate("() => document.activeElement.id") == "table":
                break
            press("Shift+Tab" if number else "Tab")
        for _ in range(1 + number % 3):
            press("n")
        press(" ")
        if number % 4 == 3:
            press("r")
        press("Enter")
        page.wait_for_function(
            "(n) => Number(document.getElementById('slider').max) > n", arg=before
        )
        spoken = page.inner_text("#live")
        assert spoken
    assert table.game.over
    assert "The game is over" in page.inner_text("#live")
    shots(page, "keyboard-over")


def test_the_cursor_is_seen_and_said(opened, catalogue):
    page = opened().page
    begin(page, "human", "greedy", seed=3)
    page.wait_for_selector("#confirm")
    page.focus("#table")
    page.wait_for_selector("#table .cursor")
    assert "can be chosen" in page.inner_text("#live")
    x = page.get_attribute("#table .cursor", "x")
    page.keyboard.press("ArrowRight")
    assert float(page.get_attribute("#table .cursor", "x")) == float(x) + 100
    for _ in range(9):
        page.keyboard.press("ArrowUp")
    assert page.inner_text("#live").startswith("-1,"), "the cursor stays on the table"
    outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus is visible"
    shots(page, "cursor")


PLAIN = """() => {
    const found = [];
    const named = (one) => one.getAttribute("aria-label") || one.textContent.trim()
        || one.labels?.length || one.title || one.placeholder;
    const say = (what, one) => found.push(what + ": " + one.outerHTML.slice(0, 90));
    const usable = "button, a[href], input, select, summary, [tabindex]";
    for (const one of document.querySelectorAll(usable)) {
        if (one.checkVisibility() && !named(one)) say("no name", one);
        if (one.parentElement.closest("button, [role=button], a")) say("nested", one);
    }
    const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
    if (new Set(ids).size < ids.length) found.push("an id is there twice");
    for (const one of document.querySelectorAll("[role=img]")) {
        if (!one.getAttribute("aria-label")) say("no words", one);
    }
    return found;
}"""


def axe_source():
    """The axe engine, where its package is installed."""
    axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is missing")
    return (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def scenes(opened, catalogue, made, **context):
    """The page in its states, by name; ``made`` gets the page."""
    path, frames = add_record(catalogue)
    made.append(opened(f"{path}&ply={len(frames) - 1}", **context))
    page = made[0].page
    page.wait_for_selector("#log .line")
    page.click("#temples summary")
    page.click('.seat[data-seat="0"] .gold')
    yield "the end", page
    page.click("#ask-review")
    page.wait_for_selector("#review .summaries", timeout=120_000)
    page.click("#back")
    yield "a review", page
    page.click("#show-rules")
    yield "the rules", page
    page.keyboard.press("Escape")
    page.click("#new")
    page.wait_for_selector("#begin")
    yield "a new game", page
    begin(page, "human", "greedy", seed=3)
    page.wait_for_selector("#confirm")
    page.fill("#thinker", "greedy")
    page.click("#run-think")
    page.wait_for_selector("#think .moves")
    yield "a decision", page
    page.focus("#table")
    choice = newest(catalogue).choices()[0]
    click_cell(page, choice["cell"])
    page.click("#hint")
    page.wait_for_selector("#choice .hint", timeout=240_000)
    page.click("#choice .tile >> nth=0")
    yield "a hint", page
    page.click("#new")
    page.wait_for_selector("#begin")
    begin(page, "human", "human", seed=3, volcanoes=True)
    page.wait_for_selector("#curtain[open]")
    yield "the curtain", page
    page.click("#lift-curtain")
    table = saved_at_an_act(catalogue)
    page.goto(page.url.split("#")[0] + table)
    page.wait_for_selector("#table .act")
    page.click("#table .act >> nth=0", trial=True)
    page.click('.seat[data-seat="1"] .name')
    yield "what acts next", page
    page.goto(page.url.split("#")[0] + "#game=AAAAAAAAAAAAAAAA")
    page.wait_for_selector("#start .problem")
    yield "a dead link", page


def saved_at_an_act(catalogue):
    """The address of a game in which a person chooses which workers act."""
    for seed in range(50):
        table = Table([HUMAN, "random"], seed)
        while not table.game.over:
            if table.awaits_person and table.choices()[0]["kind"] == "act":
                return f"#game={catalogue.games.add(table)}"
            if table.awaits_person:
                table.play(int(table.game.legal_actions()[0]))
            else:
                table.advance()
    raise AssertionError("no such decision")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state_of_the_page_has_names_and_roles(opened, catalogue, scheme):
    made = []
    for what, page in scenes(opened, catalogue, made, color_scheme=scheme):
        assert page.evaluate(PLAIN) == [], what
        shots(page, f"{scheme}-{what.replace(' ', '-')}")
    made[0].problems.clear()  # the browser itself notes a 404


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_serious(opened, catalogue, scheme, size):
    axe_source()
    made = []
    for what, page in scenes(opened, catalogue, made, color_scheme=scheme, size=size):
        assert serious(page) == [], what
    made[0].problems.clear()  # the browser itself notes a 404


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_an_exported_game(browser, exported, scheme):
    for size in (WIDE, PHONE):
        one = Page(browser, size, color_scheme=scheme)
        page = one.page
        for ply in (0, 40, 9999):
            page.goto("about:blank")
            page.goto(f"{exported}#ply={ply}")
            page.wait_for_selector("#review .summaries")
            assert serious(page) == [], ply
            assert page.evaluate(PLAIN) == [], ply
        page.click("#show-rules")
        assert serious(page) == [], "the rules"
        shots(page, f"exported-{scheme}-{size[0]}")
        assert one.problems == []
        page.close()


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The address of an exported game with its review."""
    from cacao_env.cli import main

    folder = tmp_path_factory.mktemp("exported")
    table = Table(["greedy", "random"], 8, volcanoes=True)
    while not table.game.over:
        table.advance()
    (folder / "g.json").write_text(record.dumps(table.record()), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        review_quickly(patch)
        assert main(["view", str(folder / "g.json"), "--export", str(folder / "g.html")]) == 0
    return (folder / "g.html").as_uri()


def serious(page):
    """What axe finds serious or critical on a page as it is now."""
    page.evaluate(axe_source() + "; null")
    return [
        f"{one['id']}: {node['html'][:120]} {node['any'][0]['message'] if node['any'] else ''}"
        for one in page.evaluate("async () => (await axe.run()).violations")
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def test_the_dark_scheme_is_dark(opened, catalogue):
    def brightness(page):
        colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour[4:-1].split(","))

    path, _ = add_record(catalogue)
    dark, light = (opened(path, color_scheme=one).page for one in ("dark", "light"))
    assert brightness(dark) < 150 < 600 < brightness(light)


def test_curves_differ_by_more_than_colour(opened, catalogue):
    path, _ = add_record(catalogue, 4)
    page = opened(path).page
    page.wait_for_selector("#curve .sign")
    main = page.locator("#curve polyline[stroke-width='2.2']")
    dashes = [line.get_attribute("stroke-dasharray") for line in main.all()]
    assert len(set(dashes)) == 4
    signs = {sign.get_attribute("href") for sign in page.locator("#curve .sign").all()}
    assert signs == {f"#sign-{seat}" for seat in range(4)}


def test_rows_and_columns_are_named_as_in_the_moves(opened, catalogue):
    path, frames = add_record(catalogue)
    page = opened(f"{path}&ply=30").page
    page.wait_for_selector("#table .coordinate")
    row, column = frames[30]["at"][-1]
    x, y = table_point(page, [row, column])
    boxes = page.evaluate(
        """() => [...document.querySelectorAll("#table .coordinate")].map((one) => {
            const box = one.getBoundingClientRect();
            return [one.textContent.replace("−", "-"), box.x + box.width / 2, box.y + box.height / 2];
        })"""
    )
    above = min((box for box in boxes if box[2] < 80), key=lambda box: abs(box[1] - x))
    left = min((box for box in boxes if box[1] < 40), key=lambda box: abs(box[2] - y))
    assert (above[0], left[0]) == (str(column), str(row))


# --- Phone, touch, zoom ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [PHONE, (640, 400)], ids=["phone", "at 200 %"])
def test_a_decision_is_made_on_a_small_screen(opened, catalogue, size):
    """640 x 400 is what a screen of 1280 x 800 has at 200 %."""
    page = opened(size=size, has_touch=True, reduced_motion="reduce").page
    begin(page, "human", "greedy", seed=3)
    page.wait_for_selector("#confirm")
    table = newest(catalogue)
    for what in ("#choice", "#seats", "#log", "#think"):
        page.locator(what).scroll_into_view_if_needed()
    assert page.evaluate("() => scrollY") > 100, "the page scrolls"
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
    cell = table.choices()[0]["cell"]
    page.locator("#board").scroll_into_view_if_needed()
    page.touchscreen.tap(*table_point(page, cell))
    page.locator("#confirm").scroll_into_view_if_needed()
    page.touchscreen.tap(*middle(page, "#confirm"))
    page.wait_for_function("() => Number(document.getElementById('slider').max) > 0")
    assert table.history.frames[1]["at"] == [cell]
    shots(page, f"small-{size[0]}")


def middle(page, selector):
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def touches(session, kind, *points):
    there = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": there})


def test_two_fingers_zoom_and_one_scrolls(opened, catalogue):
    path, _ = add_record(catalogue)
    page = opened(f"{path}&ply=40", size=PHONE, has_touch=True, is_mobile=True).page
    page.wait_for_selector("#log .line")
    x, y = middle(page, "#table")

    def width():
        return float(page.get_attribute("#table", "viewBox").split()[2])

    before, session = width(), page.context.new_cdp_session(page)
    touches(session, "touchStart", (x - 30, y), (x + 30, y))
    for spread in (40, 50, 60):
        touches(session, "touchMove", (x - spread, y), (x + spread, y))
    touches(session, "touchEnd")
    page.wait_for_function(
        "(w) => document.getElementById('table').viewBox.baseVal.width < w", arg=0.52 * before
    )
    assert width() == pytest.approx(before / 2, rel=0.02)
    page.click("#fit")
    assert width() == before
    swipe(session, page, x, y)
    page.wait_for_function("() => scrollY > 100")
    assert width() == before
    page.evaluate("() => scrollTo(0, 0)")
    page.click("#closer")
    box = page.get_attribute("#table", "viewBox")
    swipe(session, page, x, y)
    assert page.get_attribute("#table", "viewBox") != box, "a table zoomed in is moved"
    assert page.evaluate("() => scrollY") == 0


def swipe(session, page, x, y):
    touches(session, "touchStart", (x, y))
    for step in range(1, 11):
        touches(session, "touchMove", (x, y - 20 * step))
        page.wait_for_timeout(20)
    touches(session, "touchEnd")


# --- Nothing lost ---------------------------------------------------------------------------------


def test_a_dead_link_says_so_and_offers_a_new_game(opened):
    one = opened("#game=AAAAAAAAAAAAAAAA")
    page = one.page
    page.wait_for_selector("#start .problem")
    text = page.inner_text("#start .problem")
    assert "no longer works" in text
    assert "AAAAAAAAAAAAAAAA" in text
    begin(page, "human", "greedy", seed=1)
    page.wait_for_selector("#confirm")
    one.problems.clear()  # the browser itself notes a 404


def test_a_page_goes_on_after_its_server_was_started_again(browser, tmp_path):
    with serving(Catalogue(folder=tmp_path)) as address:
        one = Page(browser)
        page = one.page
        page.goto(address)
        begin(page, "human", "greedy", seed=3)
        page.wait_for_selector("#confirm")
        path = page.evaluate("() => location.hash")
    page.close()
    with serving(Catalogue(folder=tmp_path)) as address:
        one = Page(browser)
        page = one.page
        page.goto(address + path)
        page.wait_for_selector("#confirm")
        page.goto(address)
        page.wait_for_selector("#start .games button:has-text('you – greedy, turn 1')")
        page.click("#start .games button")
        page.wait_for_selector("#confirm")
        assert one.problems == []
        page.close()


def test_a_failed_request_is_sent_again_and_says_so(opened, catalogue):
    one = opened()
    page = one.page
    begin(page, "human", "greedy", seed=3)
    page.wait_for_selector("#confirm")
    table = newest(catalogue)
    failures = []

    def fail(route):
        if len(failures) < 2:
            failures.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    page.route("**/play", fail)
    click_cell(page, table.choices()[0]["cell"])
    page.click("#confirm")
    page.wait_for_selector("#message:not([hidden])")
    assert "does not answer. Trying again (1 of 4)" in page.inner_text("#message")
    page.wait_for_function("() => Number(document.getElementById('slider').max) > 0")
    assert len(failures) == 2
    assert page.locator("#message").is_hidden()
    one.problems.clear()


def test_an_answer_that_was_lost_plays_no_second_move(opened, catalogue):
    one = opened()
    page = one.page
    begin(page, "human", "human", seed=3)
    page.wait_for_selector("#curtain[open]")
    page.check("#no-curtain")
    page.click("#lift-curtain")
    table = newest(catalogue)
    lost = []

    def lose(route):
        if not lost:
            lost.append(route.fetch().status)  # the server hears it, the page does not
            route.abort()
        else:
            route.continue_()

    page.route("**/play", lose)
    click_cell(page, table.choices()[0]["cell"])
    page.click("#confirm")
    page.wait_for_function("() => Number(document.getElementById('slider').max) > 0")
    page.wait_for_selector("#confirm")
    assert lost == [200]
    assert "moved on" not in page.text_content("#message"), "nothing is wrong, so nothing is said"
    assert table.changes == 1
    one.problems.clear()


def test_two_tabs_follow_each_other(opened, catalogue):
    one, two = opened(), opened()
    first, second = one.page, two.page
    begin(first, "human", "greedy", seed=3)
    first.wait_for_selector("#confirm")
    table = newest(catalogue)
    second.wait_for_selector("#begin")
    second.goto(first.url)
    second.reload()
    second.wait_for_selector("#confirm")
    click_cell(first, table.choices()[0]["cell"])
    first.click("#confirm")
    second.wait_for_function(
        "() => document.getElementById('headline').textContent.includes('Turn 3')"
    )
    second.wait_for_selector("#undo:enabled")
    second.click("#undo")
    first.wait_for_function("() => Number(document.getElementById('slider').max) === 0")
    assert len(table.history) == 0
    for page in (one, two):  # both may have asked for the agent's move; the later one is refused
        page.problems[:] = [problem for problem in page.problems if "409" not in problem]


def test_an_unfinished_game_is_saved_and_opened(opened, catalogue, tmp_path):
    page = opened().page
    begin(page, "human", "greedy", seed=3)
    page.wait_for_selector("#confirm")
    table = newest(catalogue)
    click_cell(page, table.choices()[0]["cell"])
    page.click("#confirm")
    page.wait_for_function(
        "() => document.getElementById('headline').textContent.includes('Turn 3')"
    )
    assert page.inner_text("#download") == "Save game"
    with page.expect_download() as download:
        page.click("#download")
    path = tmp_path / "game.json"
    download.value.save_as(path)
    other = opened().page
    other.wait_for_selector("#begin")
    drop(other, "game.json", path.read_text())
    other.wait_for_function(
        "() => document.getElementById('headline').textContent.includes('Turn 3')"
    )
    other.wait_for_selector("#confirm")
    again = catalogue.games.get(other.evaluate("() => location.hash.slice(6)")).table
    assert again is not table
    assert again.game == table.game


def test_compilation_is_shown_while_an_answer_waits_for_it(opened, catalogue, monkeypatch):
    from cacao_env.engine.jit import PROGRESS

    page = opened().page
    begin(page, "human", "greedy", seed=3)
    page.wait_for_selector("#confirm")
    monkeypatch.setattr(PROGRESS, "now", lambda: ("x", 3, 12))
    held = []
    page.route("**/think", lambda route: held.append(route))
    page.click("#hint")
    page.wait_for_selector("#compiling:not([hidden])")
    assert "Compiling, this once: 3 of 12 parts" in page.inner_text("#compiling")
    late = []  # a report that comes after the answer
    page.route("**/api/compiling", lambda route: late.append(route))
    while not late:
        page.wait_for_timeout(50)
    held[0].continue_()
    page.wait_for_selector("#choice .hint", timeout=240_000)
    assert page.locator("#compiling").is_hidden()
    with page.expect_response("**/api/compiling"):
        late[0].continue_()
    page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    assert page.locator("#compiling").is_hidden()
