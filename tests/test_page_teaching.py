"""The page teaches: lesson, coach, reasons, exercises; and what its players once found wrong."""

import json
import re
from contextlib import suppress
from itertools import pairwise

import pytest

from tests.browser import PHONE, WIDE, begin, cells, choose, decide, drop, go, play_on
from tests.games import recorded
from tests.tiers import mostly_slow, slow

SIZES = [(320, 568), (360, 740), (640, 400), (1280, 800), (1366, 768), (1920, 1080), (2560, 1440)]


CUT = "(p) => p.scrollHeight > p.clientHeight + 1 || p.scrollWidth > p.clientWidth + 1"


def fits(page, selector: str) -> bool:
    """Whether nothing of a panel is cut."""
    return not page.eval_on_selector(selector, CUT)


# --- The lesson -----------------------------------------------------------------------------------


def try_placements(page, hand):
    """Place one tile after the other until the step is done; return what was said of others."""
    said = set()
    for number in range(page.locator(".hand .pickable").count()):
        hand(page, number)
        for x, y in cells(page, ".legal, #eye .offered"):
            page.mouse.click(x, y)
            page.click("#confirm")
            if page.get_attribute(".decision", "data-phase") == "fill":
                choose(page)
                page.click("#confirm")
            if not page.locator("#confirm").count():
                page.wait_for_selector("#next-step")
                return said
            said.add(page.inner_text("#verdict"))
    raise AssertionError("no placement shows it")


@pytest.mark.parametrize("locale", mostly_slow(["en-GB", "es-ES"]))
def test_the_lesson_is_eight_decisions_and_accepts_each_that_shows_it(opened, locale):
    page = opened(locale=locale).page
    page.click("#lesson")
    refused = set()
    for step in range(8):
        page.wait_for_selector("#verdict")
        assert re.search(f"\\b{step + 1} (of|de) 8", page.inner_text("#headline"))
        assert page.locator(".pointer").count() >= 1, "an arrow shows where to look"
        assert page.locator(".tile.dim").count() or step == 7, "the rest is dimmed"
        asked = page.inner_text("#verdict")
        refused |= try_placements(page, lambda page, n: page.click(f".hand .pickable >> nth={n}"))
        assert page.inner_text("#verdict") != asked
        assert not page.locator(".pointer").count()
        if step < 7:
            page.click("#next-step")
    again = "Está permitido" if locale == "es-ES" else "That is allowed"
    assert refused
    assert page.inner_text("#verdict").startswith("+"), "the last move brings something"
    assert all(text.startswith(again) for text in refused)
    assert page.locator("#result").count()
    page.click("#next-step")  # the first game
    page.wait_for_selector("#confirm")
    page.click("#my-games")
    page.wait_for_selector(".games li")
    assert page.locator(".games li").count() == 1, "the lesson is no game"


@slow
def test_the_lesson_is_offered_once_and_can_be_left(opened):
    page = opened().page
    assert "Cacao is a board game" in page.inner_text("dialog")
    page.click("#lesson")
    try_placements(page, lambda page, n: page.click(f".hand .pickable >> nth={n}"))
    page.click("#next-step")
    page.click("#leave-lesson")
    page.wait_for_selector("#begin")
    assert "Cacao is a board game" not in page.inner_text("dialog"), "the second visit asks again"
    page.click("#lesson")
    assert "2 of 8" in page.inner_text("#headline"), "the lesson resumes at the step that was left"
    page.click("#leave-lesson")
    page.click("#begin")
    page.click("#new")
    page.click("#lesson")
    assert "1 of 8" in page.inner_text("#headline"), "a new game restarts the lesson"


@slow
def test_a_step_of_the_lesson_by_the_keyboard(opened):
    page = opened().page
    while page.evaluate("() => document.activeElement.id") != "lesson":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#verdict")
    assert "Whoever has the most gold" in page.inner_text("#live")
    page.wait_for_function("() => document.activeElement.id === 'table'")
    for key in ("n", " ", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("#next-step")
    assert "+1 cacao" in page.inner_text("#live")


# --- The coach ------------------------------------------------------------------------------------


def test_the_coach_speaks_of_the_position_and_repeats_nothing(opened):
    page = opened().page
    page.click("#first-game")
    page.evaluate(
        """() => {
            globalThis.said = [];
            let before = "";
            new MutationObserver(() => {
                const parts = [...document.querySelectorAll(".tip, .tip + .more")];
                const text = parts.map((one) => one.textContent).join("\\n");
                const { phase } = document.querySelector(".decision").dataset;
                if (text && text !== before) globalThis.said.push([text, phase]);
                before = text;
            }).observe(document.body, { childList: true, subtree: true, characterData: true });
        }"""
    )
    page.wait_for_selector(".tip, #confirm")
    for number in range(14):
        page.wait_for_selector("#confirm")
        choose(page, number + 1)
        page.click("#confirm")
        page.keyboard.press("Escape")  # nothing is chosen, so that the coach is seen
        with suppress(Exception):  # playwright's TimeoutError: it may have nothing to say
            page.wait_for_selector(".tip", timeout=1500)
        cut = page.evaluate(f"() => [...document.querySelectorAll('#effect:has(.tip)')].map({CUT})")
        assert True not in cut, "what the coach says is read whole"
    said, phases = zip(*page.evaluate("() => globalThis.said"), strict=True)
    assert set(phases) == {"place"}, "a turn is judged when its workers are done"
    assert len(said) > 1
    assert len(said) == len(set(said)), "a sentence is said once a game"
    hello, *said = said
    assert "Before a move I may point to something" in hello
    after = [text for text in said if "Last turn: " in text]
    assert after, "bad moves are explained"
    for text in after:
        lost, parts = loss_of(text)
        assert parts == pytest.approx(lost, abs=0.01), text
    for text in set(said) - set(after):
        assert re.search(r" on [a-z]\d+", text), "a hint names a space"


# --- Reasons, exercises, puzzles ------------------------------------------------------------------


def loss_of(told: str) -> tuple[float, float]:
    """A loss, and what it is made of: one's own gold less the other's, each the sum of its sources.

    What is said first of these sources is the largest.
    """
    worth = r"worth ([\d.]+) gold more(?:, above all because (.*))?\.$"
    lost, above = re.search(worth, told, re.M).groups()
    shares = re.findall(r": ([\d.]+ (?:more|less)|as much)(?: \((.*)\))?\.$", told, re.M)
    for part in re.findall(r"[\d.]+ (?:more|less) from \w+", above or ""):
        assert any(part in words for _, words in shares), told
    totals = [
        [
            sum(float(n) if way == "more" else -float(n) for n, way in re.findall(MORE, words))
            for words in share
        ]
        for share in shares
    ]
    assert all(whole == pytest.approx(parts, abs=0.01) for whole, parts in totals), shares
    (own, _), (other, _) = totals
    return float(lost), own - other


MORE = r"([\d.]+) (more|less)"


@slow
def test_a_try_tells_its_loss_and_a_review_goes_on(opened):
    page = opened().page
    begin(page, "seedling", seed=5)
    play_on(page)
    page.click("#ask-review")
    page.wait_for_selector("#next-mistake")  # some decisions are judged, one's own first
    page.click("#my-games")
    page.wait_for_selector(".games li")
    page.click(".games .game")
    page.wait_for_selector("#ask-review")
    assert page.inner_text("#ask-review") == "Go on with the review"
    page.click("#next-mistake")
    page.click(".told summary")
    told = page.inner_text(".decision")
    lost, parts = loss_of(told)
    assert parts == pytest.approx(lost, abs=0.01)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for panel in (".told", ".bar"):
            assert fits(page, panel), (panel, width)
    page.click(".told summary")
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    assert page.evaluate(
        """() => {
            const [line, list] = [".moves [aria-current]", ".moves .scroll"].map((one) =>
                document.querySelector(one).getBoundingClientRect());
            return list.top <= line.top && line.bottom <= list.bottom;
        }"""
    ), "the move that is looked at is in the list"
    assert re.match("You (placed|sold|used|filled|overbuilt)", page.inner_text("#headline span"))
    best = re.search(r"Best: (.*?)\.", told)[1]
    page.click("#run-think")
    page.wait_for_selector("table.lines")
    verb = {"placed": "Place|Overbuild", "overbuilt": "Place|Overbuild", "filled": "Fill"}
    made = verb.get(page.inner_text("#headline span").split()[1], "Sell|Use|Forgo")
    assert re.match(rf"1\. ({made})", page.inner_text("table.lines tbody button")), "not the next"
    assert "(the move made)" in page.inner_text("table.lines")
    page.click("#try-again")
    for number in range(6):
        page.wait_for_selector("#verdict")
        choose(page, number)
        if page.locator("#effect strong").count() and page.inner_text("#effect strong") == best:
            continue
        page.click("#confirm")
        page.wait_for_selector("#verdict:text-matches('Not yet|Yes')")
        said = page.inner_text("#verdict")
        if said.startswith("Yes"):
            break  # as good as the best
        assert re.match(r"Not yet: [\d.]+ gold less than the best( \(the best: .+\))?\. Try", said)
    page.click("#back-to-review")
    page.wait_for_selector("#ask-review")


@pytest.mark.parametrize("locale", mostly_slow(["en-GB", "es-ES"]))
def test_everything_of_a_puzzle_can_be_read_at_every_size(opened, locale):
    page = opened("#puzzle=1", locale=locale).page
    for size in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.reload()
        page.wait_for_selector("#verdict")
        choose(page)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0], size
        around = page.locator(".decision").bounding_box()
        for button in page.locator(".decision .buttons button").all():
            box = button.bounding_box()
            assert box["x"] >= around["x"], size
            assert box["x"] + box["width"] <= around["x"] + around["width"], size
            assert box["height"] < 62, f"{button.inner_text()} in three lines at {size}"
        assert page.locator("#effect").bounding_box()["height"] >= 44, size


# --- The calm table -------------------------------------------------------------------------------


def test_nothing_is_asked_while_others_move_and_each_thing_is_said_once(opened):
    page = opened(reduced_motion="no-preference").page
    begin(page, "grower", players=3, seed=5)
    page.evaluate(
        """() => {
            globalThis.seen = [];
            globalThis.spoken = [];
            new MutationObserver(() => {
                const [slider, head] = ["slider", "headline"].map((id) => document.getElementById(id));
                const asks = document.querySelector("#to-game") !== null;
                if (slider.value !== slider.max) globalThis.seen.push([head.textContent, asks]);
                const live = document.getElementById("live").textContent;
                if (live !== globalThis.spoken.at(-1)) globalThis.spoken.push(live);
            }).observe(document.body, { childList: true, subtree: true, characterData: true });
        }"""
    )
    for number in range(3):
        page.wait_for_selector("#confirm", timeout=20_000)
        decide(page, number)
    page.wait_for_selector("#confirm", timeout=20_000)
    seen = page.evaluate("() => globalThis.seen")
    assert seen
    for headline, asks in seen:
        assert "’s turn" in headline, headline
        assert not asks, "nobody is asked to go back to the game"
    told = [text for text in page.evaluate("() => globalThis.spoken") if "Your turn" in text]
    turns = [text for text in told if text.count(". ") > 1]
    assert turns
    words = "".join(page.evaluate("() => globalThis.spoken"))
    for sentence in turns[0].split(". ")[:2]:
        assert words.count(sentence) == turns[0].count(sentence), "it is said once"


@slow
def test_a_tile_of_the_hand_is_dragged_to_the_table(page):
    hand = page.locator(".hand .pickable").nth(1)
    box = hand.bounding_box()
    x, y = cells(page, ".legal")[2]
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(x - 60, y - 60, steps=4)
    page.mouse.move(x, y, steps=4)
    assert page.locator(".ghost").count() == 1, "the space under it shows it"
    page.mouse.up()
    assert page.locator("#confirm:enabled").count() == 1
    assert hand.get_attribute("aria-pressed") == "true"
    ghost = page.locator(".ghost .frame").bounding_box()
    assert ghost["x"] < x < ghost["x"] + ghost["width"]
    assert page.inner_text("#effect strong")
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(40, 500, steps=4)  # beside the table
    page.mouse.up()
    assert page.locator("#confirm:disabled").count() == 1, "there it is put back"


@slow
def test_the_table_stays_in_sight(page):
    board = page.locator("#table").bounding_box()
    middle = board["x"] + board["width"] / 2, board["y"] + board["height"] / 2
    for _ in range(4):
        page.mouse.move(board["x"] + 20, board["y"] + 20)
        page.mouse.down()
        page.mouse.move(board["x"] + board["width"] - 20, board["y"] + board["height"] - 20)
        page.mouse.up()
    eye = page.locator("#eye").bounding_box()
    assert eye["x"] < board["x"] + board["width"] - 20
    assert eye["y"] < board["y"] + board["height"] - 20
    page.mouse.move(*middle)
    for _ in range(30):
        page.mouse.wheel(0, 400)
    assert page.locator("#eye .tile").first.bounding_box()["width"] > 30


# --- Games that stay, links, names ----------------------------------------------------------------


BLOCKED = "Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('no'); } });"


@slow
def test_where_nothing_is_kept_it_is_said_and_a_file_helps(opened):
    page = opened().page
    page.context.add_init_script(BLOCKED)
    page.reload()
    page.wait_for_selector("#begin")
    assert "keeps no games" in page.inner_text("dialog form")
    begin(page, "grower", seed=3)
    decide(page)
    page.click("#my-games")
    with page.expect_download():
        page.click("dialog .quiet button")
    page.reload()
    page.wait_for_selector("#message")
    assert "keeps nothing for this page" in page.inner_text("#message")


@slow
def test_a_link_names_who_sent_it_and_stays_apart(page, opened):
    play_on(page)
    page.click("#share")
    page.fill("#my-name", "Rosa")
    page.wait_for_function("() => document.getElementById('link').value")
    before = page.input_value("#link")
    page.fill("#my-name", "Rosa M")
    page.wait_for_function("(was) => document.getElementById('link').value !== was", arg=before)
    link = page.input_value("#link")
    other = opened("#" + link.split("#")[1]).page
    other.wait_for_selector("#ask-review")  # it can be reviewed at once
    assert other.inner_text(".player .name >> nth=0") == "Rosa M"
    assert "You" not in other.inner_text(".players")
    other.click("#my-games")
    other.wait_for_selector(".games li")
    assert "From files and links" in other.inner_text("dialog")
    other.keyboard.press("Escape")
    go(other, 10)
    other.click("#play-from")
    other.wait_for_selector("#confirm")
    assert other.inner_text(".player .name >> nth=0") == "You"


@slow
def test_a_picture_is_drawn_and_a_film_has_names_and_a_steady_eye(opened, tmp_path):
    import numpy as np
    from PIL import Image

    page = opened().page
    drop(page, "game.json", recorded())
    page.wait_for_selector("#share")
    page.click("#share")
    for what in ("picture", "film"):
        with page.expect_download(timeout=120_000) as download:
            page.click(f"#share-{what}")
        download.value.save_as(tmp_path / what)
    with Image.open(tmp_path / "picture") as picture:
        assert picture.format == "PNG"
        assert len(picture.convert("RGB").getcolors(10**7)) > 50
    with Image.open(tmp_path / "film") as film:
        assert film.format == "GIF"
        shots = []
        for number in range(film.n_frames):
            film.seek(number)
            shots.append(np.asarray(film.convert("RGB"), int))
    assert len(shots) > 20
    assert len({shot[0, 0].tobytes() for shot in shots}) == 1
    colours = [{tuple(pixel) for pixel in shot[4:20, 10:700].reshape(-1, 3)} for shot in shots]
    assert all(len(one) > 8 for one in colours), "names and scores stand above the table"
    for one, other in pairwise(shots):
        moved = (np.abs(one - other)[44:436].max(axis=2) > 40).mean()
        assert moved < 0.12, "only what was laid changes"


@slow
def test_my_games_show_what_one_lost_game_by_game(page, tmp_path):
    decide(page)
    page.click("#my-games")
    assert page.locator(".trend").count() == 0
    with page.expect_download() as download:
        page.click("#export")
    download.value.save_as(tmp_path / "games.json")
    data = json.loads((tmp_path / "games.json").read_text())
    [one] = data["games"]
    for number, loss in enumerate((2.5, 1.25)):
        review = {"seats": [{"mean_loss": loss}] * 2, "decisions": []}
        later = {"id": f"reviewed{number}", "changed": one["changed"] + number + 1}
        data["games"].append(one | later | {"review": review})
    page.keyboard.press("Escape")
    drop(page, "games.json", json.dumps(data))
    page.wait_for_selector(".trend")
    assert "2.50 … 1.25" in page.inner_text(".trend")
    first, second = page.locator(".trend circle").all()
    assert float(first.get_attribute("cy")) < float(second.get_attribute("cy")), "less lost: lower"


@slow
def test_two_people_without_names_are_two_players(opened):
    page = opened().page
    begin(page, seats=("", ""), seed=3)
    page.click("#my-games")
    page.wait_for_selector(".games li")
    assert page.inner_text(".games strong") == "Player 1 and Player 2"
    page.keyboard.press("Escape")
    page.click("#new")
    page.click(".more summary")
    page.fill("#name0", "A name that is longer than any panel is wide, by far and by far")
    page.click("#begin")
    page.wait_for_selector("#headline")
    assert page.inner_text("#headline span") == "Your turn: place a tile"


@slow
def test_back_closes_what_is_open(opened):
    page = opened(size=PHONE).page
    begin(page, "grower", seed=3)
    page.wait_for_function("() => location.hash.includes('game=') && !history.state?.above")
    at = page.url
    for what in ("#settings", ".tabs-bar [data-panel=moves]"):
        page.click(what)
        page.wait_for_function("() => history.state?.above")
        page.go_back()
        page.wait_for_function(
            "() => !document.querySelector('dialog[open], .tabs-bar [aria-expanded=true]')"
        )
        assert page.url == at
    page.click("#settings")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !history.state?.above")
    assert page.locator("#confirm").count() == 1
    assert page.url == at


# --- For everybody --------------------------------------------------------------------------------


def regions(page):
    return page.evaluate(
        """() => [...document.querySelectorAll("section[aria-label], nav[aria-label], [role=region]")]
            .filter((one) => one.checkVisibility()).map((one) => one.ariaLabel)"""
    )


@slow
def test_the_table_has_the_focus_and_regions_have_names_of_their_own(opened):
    page = opened().page
    page.focus("#begin")
    page.keyboard.press("Enter")
    page.wait_for_selector("#confirm")
    page.wait_for_function("() => document.activeElement.id === 'table'")
    assert page.locator(".cursor").count() == 1, "the keyboard moves a cursor that is shown"
    page.mouse.click(*cells(page, ".tile")[0])
    names = regions(page)
    assert len(names) == len(set(names)), names
    drop(page, "game.json", recorded())
    page.wait_for_selector("#curve")
    names = regions(page)
    assert len(names) == len(set(names)), names


@slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_high_contrast_shows_what_can_be_chosen(opened, scheme):
    page = opened(forced_colors="active", color_scheme=scheme).page
    begin(page, "grower", seed=3)
    page.click(".hand .pickable >> nth=0")
    ground = page.evaluate(
        "() => getComputedStyle(document.querySelector('.board')).backgroundColor"
    )
    for what, paint in ((".space.legal", "stroke"), (".coordinates text", "fill")):
        found = page.evaluate(
            "([what, paint]) => getComputedStyle(document.querySelector(what))[paint]",
            [what, paint],
        )
        light = [sum(map(int, re.findall(r"\d+", one)[:3])) for one in (found, ground)]
        assert abs(light[0] - light[1]) > 150, (what, found, ground)
    wide = (
        "() => getComputedStyle(document.querySelector('.pickable[aria-pressed=true]')).borderWidth"
    )
    assert page.evaluate(wide) == "4px"


@slow
def test_a_larger_text_and_a_closer_view_cut_nothing(opened):
    page = opened(size=(640, 400)).page  # what a screen of 1280 x 800 has at 200 %
    begin(page, "grower", seed=3)
    around = page.locator(".decision").bounding_box()
    for button in page.locator(".decision .buttons button").all():
        box = button.bounding_box()
        assert box["x"] + box["width"] <= around["x"] + around["width"] + 1
    head = "(one) => [one.scrollHeight, one.clientHeight]"
    wanted, shown = page.locator("#headline span").evaluate(head)
    assert wanted <= shown + 2, "the headline is read whole"
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    texts = ".player .name, #headline, .effect, .panel h2"
    size = "(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    sizes = page.locator(texts)
    before = sizes.evaluate_all(size)
    page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
    assert sizes.evaluate_all(size) == [2 * one for one in before], "all text grows"
    assert page.evaluate("() => document.documentElement.scrollWidth") <= WIDE[0]


@slow
def test_a_sheet_of_paper_has_the_table_and_the_moves(opened):
    page = opened(size=PHONE).page
    drop(page, "game.json", recorded())
    page.wait_for_selector("#curve")
    page.emulate_media(media="print")
    assert page.locator(".board").is_visible()
    assert page.locator(".moves .line").count() > 40
    assert page.locator(".moves .line").last.is_visible()
    for what in (".top nav", ".bar", ".decision", ".supply"):
        assert not page.locator(what).first.is_visible(), what


@slow
def test_spanish_says_also_what_is_wrong_with_a_file(opened):
    page = opened(locale="es-ES").page
    good = json.loads(recorded())
    for change, why in (
        ({"moves": good["moves"][:-1]}, "faltan las últimas jugadas"),
        ({"moves": [good["moves"][1]]}, "la jugada 1 no es válida"),
        ({"result": good["result"] | {"gold": [1, 2]}}, "el resultado no es el de las jugadas"),
        ({"version": 9}, "la versión no es la de esta página"),
        ({"format": "x"}, "no contiene una partida completa y correcta"),
    ):
        drop(page, "bad.json", json.dumps(good | change))
        page.wait_for_selector(f"#message:has-text('{why}')")
    drop(page, "bad.json", "{")
    page.wait_for_selector("#message:has-text('JSON')")
