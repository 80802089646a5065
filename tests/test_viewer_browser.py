"""The page in a real browser: a game is played by clicking, records are replayed."""

from __future__ import annotations

import json

import pytest

from cacao_env import record
from cacao_env.agents.agent import play_game
from cacao_env.agents.bots import Bot
from cacao_env.game import Game
from cacao_env.play.catalogue import Catalogue
from cacao_env.record import record_of
from tests.browser import (
    PHONE,
    Page,
    begin,
    click_cell,
    drop,
    newest,
    shots,
)
from tests.games import seat_seeds


@pytest.fixture(scope="module")
def catalogue():
    one = Catalogue()
    game = Game.new(4, 7, volcanoes=True)
    play_game(game, [Bot("greedy").player(seed) for seed in seat_seeds(7, 4)])
    global RECORD
    RECORD = "#record=" + one.add_record(record_of(game), "four.json")
    return one


def the_record(catalogue):
    return catalogue.records.get(RECORD.removeprefix("#record="))


def decide(page, table, number):
    """Make a decision with the mouse, another kind each time; what was decided."""
    page.wait_for_selector("#confirm")
    choices = table.choices()
    choice = choices[number * 7 % len(choices)]
    if choice["kind"] == "act":
        if number % 2:
            page.click(f'#choice .list button[data-action="{choice["action"]}"]')
            return choice
        # Clicking the jungle tile goes through all that can happen there.
        click_cell(page, choice["cell"])
        for _ in range(len(choices)):
            if page.locator(f'#choice .list button.on[data-action="{choice["action"]}"]').count():
                break
            click_cell(page, choice["cell"])
    else:
        page.click(f'#choice .tile[data-tile="{choice["tile"]}"]')
        click_cell(page, choice["cell"])
        for _ in range(4):
            if choice["words"] in page.inner_text("#effect"):
                break
            if number % 2:
                page.keyboard.press("r")
            else:
                click_cell(page, choice["cell"])
    assert choice["words"] in page.inner_text("#effect")
    assert choice["effect"] in page.inner_text("#effect")
    page.click("#confirm")
    return choice


def test_a_game_is_played_by_clicking_and_its_record_holds(opened, catalogue, tmp_path):
    one = opened()
    page = one.page
    shots(page, "start")
    begin(page, "human", "greedy", seed=3)
    table = newest(catalogue)
    for number in range(200):
        page.wait_for_function(
            "() => document.getElementById('confirm') || !document.getElementById('result').hidden"
        )
        if table.game.over:
            break
        before = len(table.history)
        choice = decide(page, table, number)
        page.wait_for_function(
            "(n) => Number(document.getElementById('slider').max) > n",
            arg=before,
        )
        assert table.history.frames[before + 1]["move"] == choice["words"]
        if number == 12:
            shots(page, "play")
        if number == 5:
            page.wait_for_selector("#confirm")
            page.click("#undo")
            page.wait_for_function(
                "(n) => Number(document.getElementById('slider').max) === n", arg=before
            )
    assert table.game.over
    assert "The game is over" in page.inner_text("#headline")
    shots(page, "over")
    with page.expect_download() as download:
        page.click("#download")
    path = tmp_path / "game.json"
    download.value.save_as(path)
    assert record.check(record.load(path)).scores() == table.game.scores()


def test_two_people_at_one_screen_see_only_the_hand_of_who_decides(opened, catalogue):
    page = opened().page
    begin(page, "human", "human", "random", seed=5)
    table = newest(catalogue)
    curtains, before_seat = 0, None
    for number in range(9):
        page.wait_for_function(
            "() => document.getElementById('curtain').open || document.getElementById('confirm')"
        )
        seat = table.game.seat
        assert page.locator("#lift-curtain").is_visible() == (seat != before_seat)
        if seat != before_seat:  # another person sits down: nobody's tiles are shown
            assert page.locator('.seat .hand use[href^="#w-"]').count() == 0
            curtains += 1
            shots(page, "curtain")
            page.keyboard.press("Escape")
            page.click("#lift-curtain")
        before_seat = seat
        page.wait_for_selector("#confirm")
        for other in range(3):
            backs = page.locator(
                f'.seat[data-seat="{other}"] .hand use[href="#back-{other}"]'
            ).count()
            held = sum(table.game.state.hand[other])
            assert backs == (0 if other == seat else held)
        before = len(table.history)
        decide(page, table, number)
        page.wait_for_function(
            "(n) => Number(document.getElementById('slider').max) > n", arg=before
        )
    assert curtains > 1
    page.wait_for_function(
        "() => document.getElementById('curtain').open || document.getElementById('confirm')"
    )
    if page.locator("#lift-curtain").is_visible():
        page.check("#no-curtain")
        page.click("#lift-curtain")
    page.keyboard.press("Home")
    assert page.locator('.seat .hand use[href^="#w-"]').count() == 0


def test_a_record_of_four_players_is_replayed(opened, catalogue):
    one = opened(RECORD)
    page = one.page
    page.wait_for_selector("#seats .seat")
    frames = the_record(catalogue).history.frames
    end = len(frames) - 1
    assert page.inner_text("#count") == f"0 / {end}"
    for ply in range(1, end + 1):
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#count") == f"{ply} / {end}"
        assert frames[ply]["move"] in page.inner_text("#move")
        shown = page.eval_on_selector_all("#table g > use", "all => all.length")
        assert shown == len(frames[ply]["tiles"])
    golds = page.locator(".seat .gold").all_inner_texts()
    expected = [f"{seat['gold']} ({seat['score']})" for seat in frames[-1]["seats"]]
    assert golds == expected
    assert "The game is over" in page.inner_text("#headline")
    page.keyboard.press("Home")
    assert page.inner_text("#count") == f"0 / {end}"
    page.click("#auto")
    page.wait_for_function("() => document.getElementById('count').textContent.startsWith('2 ')")
    page.click("#auto")
    page.evaluate("(hash) => { location.hash = hash; }", f"{RECORD}&ply=30")
    page.wait_for_function("() => document.getElementById('count').textContent.startsWith('30 ')")
    shots(page, "replay")
    page.locator("#curve").click(position={"x": 400, "y": 30})
    assert page.inner_text("#count") != f"30 / {end}"


def test_all_hands_can_be_hidden_from_the_spectator(opened):
    page = opened(f"{RECORD}&ply=20").page
    page.wait_for_selector("#seats .seat")
    assert page.locator('.hand use[href^="#back-"]').count() == 0
    page.uncheck("#hands")
    assert page.locator('.hand use[href^="#back-"]').count() > 0


def gold_told(page):
    return page.locator("#about table tr td:last-child").all_inner_texts()


def test_a_temple_tells_what_it_would_give_now(opened, catalogue):
    frames = the_record(catalogue).history.frames
    ply, temple = next(
        (ply, tile)
        for ply, frame in enumerate(frames)
        for tile in frame["tiles"]
        if any(tile.get("gold", [])) and not tile["gold"][0]
    )
    page = opened(f"{RECORD}&ply={ply}").page
    page.wait_for_selector("#seats .seat")
    click_cell(page, [temple["row"], temple["column"]])
    expected = [f"{gold} gold if the game ended now" if gold else "" for gold in temple["gold"]]
    assert gold_told(page) == expected


def test_tiles_tell_what_they_are(opened, catalogue):
    page = opened(f"{RECORD}&ply=200").page
    page.wait_for_selector("#seats .seat")
    last = the_record(catalogue).history.frames[-1]
    temple = next(tile for tile in last["tiles"] if sum(tile.get("gold", [])) > 0)
    click_cell(page, [temple["row"], temple["column"]])
    assert gold_told(page) == [f"{gold} gold" if gold else "" for gold in temple["gold"]]
    covered = next(tile for tile in last["tiles"] if tile.get("under"))
    click_cell(page, [covered["row"], covered["column"]])
    assert page.locator("#about svg").count() == 1 + len(covered["under"])
    shots(page, "about")
    page.click('.seat[data-seat="2"]')
    mine = sum(tile.get("owner") == 2 for tile in last["tiles"])
    assert page.locator("#table g:not(.dim) > use").count() == mine
    page.click('.seat[data-seat="2"]')
    assert page.locator("#table g.dim").count() == 0


def test_zoom_and_drag_and_back(opened):
    page = opened(f"{RECORD}&ply=60").page
    page.wait_for_selector("#seats .seat")
    box = page.get_attribute("#table", "viewBox")
    page.click("#closer")
    assert page.get_attribute("#table", "viewBox") != box
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(380, 340)
    page.mouse.up()
    page.click("#fit")
    assert page.get_attribute("#table", "viewBox") == box


def test_a_zoom_holds_while_the_table_grows_and_is_kept_for_the_next_game(opened):
    page = opened().page
    begin(page, "greedy", "greedy", seed=3)
    page.wait_for_function("() => Number(document.getElementById('slider').max) > 2")
    assert page.get_attribute("#fit", "aria-pressed") == "true"
    page.click("#closer")
    page.click("#closer")
    box = page.get_attribute("#table", "viewBox")
    page.wait_for_function("() => Number(document.getElementById('slider').max) > 20")
    assert page.get_attribute("#table", "viewBox") == box, "the table does not move under the eye"
    assert page.get_attribute("#fit", "aria-pressed") == "false"
    page.click("#new")
    begin(page, "human", "greedy", seed=4)
    page.wait_for_selector("#confirm")
    width = float(page.get_attribute("#table", "viewBox").split()[2])
    assert width == pytest.approx(float(box.split()[2]), rel=0.02)
    page.reload()
    page.wait_for_selector("#confirm")
    assert float(page.get_attribute("#table", "viewBox").split()[2]) == pytest.approx(width)
    for _ in range(9):
        page.click("#closer")
    page.focus("#table")
    for _ in range(4):
        page.keyboard.press("n")
        x, y, wide, high = map(float, page.get_attribute("#table", "viewBox").split())
        cursor = page.locator("#table .cursor")
        at = [float(cursor.get_attribute(name)) + 4 for name in ("x", "y")]
        assert x <= at[0] <= x + wide - 100, "the cursor is seen"
        assert y <= at[1] <= y + high - 100, "the cursor is seen"
    shots(page, "zoomed")
    page.click("#fit")
    page.reload()
    page.wait_for_selector("#confirm")
    assert page.get_attribute("#fit", "aria-pressed") == "true"


def test_an_agent_says_what_it_thinks(opened):
    one = opened(f"{RECORD}&ply=0")
    page = one.page
    page.wait_for_selector("#seats .seat")
    page.fill("#thinker", "mc:sims=64")
    page.click("#run-think")
    page.wait_for_selector("#think .moves")
    assert page.locator("#table .heat").count() > 1
    assert "visits" in page.inner_text("#think .moves")
    rows = page.locator("#think .prospects td.number").all_inner_texts()
    shares = [float(text.rstrip("%")) for text in rows[::2]]
    assert len(shares) == 4
    assert sum(shares) == pytest.approx(100, abs=3)
    shots(page, "think")
    page.fill("#thinker", "nobody")
    page.click("#run-think")
    page.wait_for_selector("#message:not([hidden])")
    assert "there is no agent 'nobody' here" in page.inner_text("#message")
    one.problems.clear()  # the browser itself notes every refusal


def test_a_record_is_dropped_and_a_corrupt_one_refused(opened, catalogue):
    one = opened(f"{RECORD}&ply=3")
    page = one.page
    page.wait_for_selector("#seats .seat")
    data = json.loads(json.dumps(the_record(catalogue).data))
    data["result"]["scores"][0] += 1
    drop(page, "bad.json", json.dumps(data))
    page.wait_for_selector("#message:not([hidden])")
    message = page.inner_text("#message")
    assert message.startswith("result.scores is [")
    assert "but the replay gives" in message
    assert page.inner_text("#count").startswith("3 /"), "what was shown stays"
    one.problems.clear()
    data["result"]["scores"][0] -= 1
    drop(page, "good.json", json.dumps(data))
    page.wait_for_function("() => document.getElementById('subtitle').textContent === 'good.json'")
    assert page.inner_text("#count").startswith("0 /")


def test_a_refused_request_is_said_and_changes_nothing(opened, catalogue):
    one = opened()
    page = one.page
    begin(page, "human", "greedy", seed=9)
    name, table = list(catalogue.games.kept)[-1], newest(catalogue)
    page.wait_for_selector("#confirm")
    answer = page.evaluate(
        """async (name) => {
            const body = JSON.stringify({ action: 3, ply: 0 });
            const headers = { "Content-Type": "application/json" };
            const got = await fetch(`/api/games/${name}/play`, { method: "POST", body, headers });
            return [got.status, await got.json()];
        }""",
        name,
    )
    assert answer[0] == 400
    assert "illegal action 3" in answer[1]["error"]
    assert table.game.ply == 0
    one.problems.clear()


def test_an_exported_game_opens_without_a_server(browser, catalogue, tmp_path):
    from cacao_env.cli import main

    source, target = tmp_path / "four.json", tmp_path / "four.html"
    source.write_text(record.dumps(the_record(catalogue).data), encoding="utf-8")
    assert main(["view", str(source), "--export", str(target), "--no-review"]) == 0
    one = Page(browser)
    one.page.goto(target.as_uri() + "#ply=25")
    one.page.wait_for_selector("#seats .seat")
    end = len(the_record(catalogue).history)
    assert one.page.inner_text("#count") == f"25 / {end}"
    one.page.keyboard.press("ArrowRight")
    assert one.page.inner_text("#count") == f"26 / {end}"
    assert not one.page.locator("#new").is_visible()
    assert one.problems == []
    assert one.asked <= {""}
    one.page.close()


def test_it_fits_a_phone(opened, catalogue):
    page = opened(f"{RECORD}&ply=60", PHONE).page
    page.wait_for_selector("#seats .seat")
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= PHONE[0]
    shots(page, "phone")
