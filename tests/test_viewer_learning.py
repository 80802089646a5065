"""Learning from the page: the turn and the end told, reviews, hints, choices on the table."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import pytest

from cacao_env import record
from cacao_env.play.table import Table
from tests.browser import PHONE, WIDE, Page, begin, click_cell, newest, shots


def finished(seats, seed, **options):
    table = Table(seats, seed, **options)
    while not table.game.over:
        table.advance()
    return table


def add_record(catalogue, table, title="a.json"):
    data = json.loads(record.dumps(table.record()))
    name = catalogue.add_record(data, title)
    return name, catalogue.records.get(name).history.frames


def advance_to(table, condition):
    """Play on at the table, without the page, until a person has such a decision."""
    while not (table.awaits_person and condition(table)):
        assert not table.game.over
        if table.awaits_person:
            table.play(int(table.game.legal_actions()[0]))
        else:
            table.advance()


def saved_at(catalogue, seats, condition, seeds=range(60)):
    """The address of a game in which a person has such a decision."""
    for seed in seeds:
        table = Table(seats, seed)
        while not table.game.over:
            if table.awaits_person and condition(table):
                name = catalogue.games.add(table)
                return f"#game={name}", table
            if table.awaits_person:
                table.play(int(table.game.legal_actions()[seed % len(table.game.legal_actions())]))
            else:
                table.advance()
    raise AssertionError("no such decision")


COUNTED = """() => {
    window.seen = [];
    const count = document.getElementById("count");
    const note = () => window.seen.push(count.textContent);
    new MutationObserver(note).observe(count, { childList: true });
}"""


# --- The turn and the end told --------------------------------------------------------------------


def test_every_move_is_told_with_what_it_gained_and_leads_to_its_position(opened, catalogue):
    name, frames = add_record(catalogue, finished(["greedy", "greedy", "random"], 5))
    page = opened(f"#record={name}").page
    page.wait_for_selector("#log .line")
    lines = page.locator("#log .line")
    assert lines.count() == len(frames) - 1
    assert page.locator("#log h3").count() == frames[-1]["turns"]
    for ply in (1, 20, len(frames) - 1):
        before, after = frames[ply - 1], frames[ply]
        text = page.inner_text(f'#log .line[data-ply="{ply}"]')
        assert after["move"] in text
        mover = after["mover"]
        for good in ("gold", "cacao"):
            change = after["seats"][mover][good] - before["seats"][mover][good]
            if change:
                assert f"{'+' if change > 0 else '−'}{abs(change)} {good}" in text
    page.click('#log .line[data-ply="20"]')
    assert page.inner_text("#count").startswith("20 /")
    assert page.get_attribute('#log .line[data-ply="20"]', "aria-current") == "step"
    shots(page, "log")


def test_the_moves_of_others_are_shown_one_by_one_and_then_marked(opened, catalogue):
    page = opened().page
    begin(page, "human", "greedy", seed=3)
    table = newest(catalogue)
    page.wait_for_selector("#confirm")
    page.evaluate(COUNTED)
    click_cell(page, table.choices()[0]["cell"])
    page.click("#confirm")
    page.wait_for_function(
        "() => document.getElementById('headline').textContent.includes('Turn 3')"
    )
    page.wait_for_selector("#confirm")
    seen = page.evaluate("() => window.seen.map((text) => Number(text.split(' /')[0]))")
    frames = table.history.frames
    assert set(range(2, len(frames))) <= set(seen), "each frame was on the screen"
    others = [k for k, one in enumerate(frames) if k and frames[k - 1]["active"] == 1]
    cells = {tuple(cell) for k in others for cell in frames[k]["at"]}
    assert page.locator("#table .news").count() == len(cells)
    shots(page, "news")


def test_who_asks_for_less_motion_sees_the_last_frame_at_once(opened, catalogue):
    page = opened(reduced_motion="reduce").page
    begin(page, "human", "greedy", seed=3)
    table = newest(catalogue)
    page.wait_for_selector("#confirm")
    click_cell(page, table.choices()[0]["cell"])
    page.evaluate(COUNTED)
    page.click("#confirm")
    page.wait_for_function(
        "() => document.getElementById('headline').textContent.includes('Turn 3')"
    )
    seen = {int(text.split(" /")[0]) for text in page.evaluate("() => window.seen")}
    assert len(seen) < len(table.history.frames) - 2


def test_bots_pause_and_one_steps_back_while_they_play(opened, catalogue):
    page = opened().page
    begin(page, "greedy", "greedy", seed=3)
    table = newest(catalogue)
    page.wait_for_function("() => Number(document.getElementById('slider').max) > 4")
    page.click("#pause")
    page.wait_for_function("() => document.getElementById('choice').textContent.includes('Paused')")
    page.wait_for_timeout(600)  # a request that was under way arrives
    length = len(table.history)
    page.wait_for_timeout(2500)
    assert len(table.history) == length, "nobody plays during a pause"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    back = int(page.inner_text("#count").split(" /")[0])
    assert back < length
    page.click("#pause")
    page.wait_for_function("(n) => Number(document.getElementById('slider').max) > n", arg=length)
    page.keyboard.press("Home")
    page.wait_for_function(
        "() => document.getElementById('choice').textContent.includes('earlier')"
    )
    at = page.inner_text("#count").split(" /")[0]
    assert at == "0", "the page left an earlier position"


def test_the_end_is_told_and_played_again(opened, catalogue):
    table = finished(["greedy", "random", "greedy"], 7, volcanoes=True)
    table.people_names = ["", "", ""]
    name = catalogue.games.add(table)
    page = opened(f"#game={name}").page
    page.wait_for_selector("#result tr[data-seat]")
    rows = page.locator("#result tr[data-seat]")
    order = [int(rows.nth(k).get_attribute("data-seat")) for k in range(3)]
    scores = table.game.scores()
    assert [scores[seat] for seat in order] == sorted(scores, reverse=True)
    frame = table.history.frames[-1]
    for seat in order:
        for source, gold in frame["sources"][seat].items():
            cell = page.locator(f'#result tr[data-seat="{seat}"] td[data-source="{source}"]')
            assert source == "mines" or cell.inner_text() == str(gold).replace("-", "−")
    shots(page, "result")
    assert page.locator("#supply").is_hidden(), "nothing is offered after the end"
    page.click("#swap")
    page.wait_for_function("(old) => !location.hash.includes(old)", arg=name)
    assert newest(catalogue).seats == ["random", "greedy", "greedy"]
    assert newest(catalogue).game.volcanoes
    page.goto(page.url.split("#")[0] + f"#game={name}")
    page.wait_for_selector("#rematch")
    page.click("#rematch")
    page.wait_for_function("(old) => !location.hash.includes(old)", arg=name)
    assert newest(catalogue).seats == table.seats


def test_a_click_on_the_gold_tells_where_the_score_comes_from(opened, catalogue):
    name, frames = add_record(catalogue, finished(["greedy", "greedy"], 5))
    page = opened(f"#record={name}&ply=40").page
    page.click('.seat[data-seat="1"] .gold')
    for source, gold in frames[40]["sources"][1].items():
        if source != "volcanoes":
            cell = page.locator(f'.seat[data-seat="1"] td[data-source="{source}"]')
            assert cell.inner_text() == str(gold).replace("-", "−")
    shots(page, "breakdown")
    page.click('.seat[data-seat="1"] .gold')
    assert page.locator(".seat .breakdown").count() == 0


def test_all_temples_stand_in_one_panel(opened, catalogue):
    name, frames = add_record(catalogue, finished(["greedy"] * 3, 5))
    page = opened(f"#record={name}&ply={len(frames) - 1}").page
    page.click("#temples summary")
    temples = [tile for tile in frames[-1]["tiles"] if tile.get("kind") == "temple"]
    assert page.locator("#temples-list > div").count() == len(temples) > 1
    text = page.inner_text("#temples-list")
    for tile in temples:
        assert f"{tile['row']},{tile['column']}" in text
        for gold in tile["gold"]:
            assert not gold or f"{gold} gold" in text
    shots(page, "temples")


def test_edges_of_others_that_have_still_to_act_are_marked(opened, catalogue):
    table = finished(["greedy"] * 3, 5)
    name, frames = add_record(catalogue, table)
    others = [sum(one["seat"] != frame["seat"] for one in frame["pending"]) for frame in frames]
    ply = max(range(len(frames)), key=lambda k: others[k])
    page = opened(f"#record={name}&ply={ply}").page
    page.wait_for_selector("#table .pending")
    assert page.locator("#table .pending").count() == others[ply] > 0
    shots(page, "pending")


def test_an_overbuilt_tile_shows_what_lies_below(opened, catalogue):
    name, frames = add_record(catalogue, finished(["greedy"] * 2, 3))
    tile = next(tile for tile in frames[-1]["tiles"] if tile.get("under"))
    page = opened(f"#record={name}&ply={len(frames) - 1}").page
    page.wait_for_selector("#table .lift")
    below = "".join(map(str, tile["under"][-1]["edges"]))
    above = "".join(map(str, tile["edges"]))
    at = f'[x="{tile["column"] * 100}"][y="{tile["row"] * 100}"]'
    drawn = f'#table use[href="#w-{tile["owner"]}-%s"]{at}'
    assert page.locator(drawn % above).count() == 1
    corner = [tile["row"] - 0.36, tile["column"] + 0.36]
    click_cell(page, corner)
    assert page.locator(drawn % below).count() == 1
    assert page.locator("#about").is_hidden()
    click_cell(page, corner)
    assert page.locator(drawn % above).count() == 1
    click_cell(page, [tile["row"], tile["column"]])
    page.click("#lift")
    assert page.locator(drawn % below).count() == 1


# --- Choosing made plain --------------------------------------------------------------------------


def test_opponents_are_listed_with_strength_speed_and_time(opened, catalogue):
    page = opened().page
    page.wait_for_selector("#begin")
    text = page.inner_text("select[name=seat1]")
    for agent in catalogue.agents():
        assert agent["name"] in text
        if agent["elo"] is None:  # no strength was measured for it, so none is shown
            assert f"{agent['name']} – {agent['what']}" in text
        else:
            assert f"Elo {agent['elo']}".replace("-", "−") in text
    page.select_option("select[name=seat1]", "criollo")
    page.focus("#time")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert "0.2 s a decision" in page.inner_text(".time")
    page.fill("input[name=person0]", "Ana")
    page.fill("#seed", "abc")
    page.click("#begin")
    page.wait_for_selector("#start #message:not([hidden])")
    assert "seed is not an integer: 'abc'" in page.inner_text("#message"), "in front of the dialog"
    covered = page.evaluate(
        """() => {
        const box = document.getElementById("message").getBoundingClientRect();
        return document.elementFromPoint(box.x + 5, box.y + 5).id;
    }"""
    )
    assert covered == "message"
    page.fill("#seed", "12")
    page.click("#begin")
    page.wait_for_selector("#confirm")
    table = newest(catalogue)
    assert table.seats == ["human", "criollo+search:ms=200"]
    assert table.names[0] == "Ana"
    assert "Ana" in page.inner_text(".seat[data-seat='0'] .name")


@pytest.fixture(autouse=True)
def _refusals_are_no_problem(monkeypatch):
    """The browser itself notes every refusal of the server on its console."""
    heard = Page.hears
    monkeypatch.setattr(Page, "hears", lambda self, m: "400" in m.text or heard(self, m))


def test_a_hint_shows_a_move_and_a_line_of_think_is_played(opened, catalogue):
    page = opened().page
    begin(page, "human", "random", seed=4)
    table = newest(catalogue)
    page.wait_for_selector("#hint")
    page.click("#hint")
    page.wait_for_selector("#choice .hint", timeout=240_000)  # search may have to be compiled
    hinted = page.inner_text("#choice .hint").removeprefix("Hint: ").partition(" (")[0]
    assert hinted in page.inner_text("#effect")
    assert page.locator("#confirm").is_enabled()
    shots(page, "hint")
    page.fill("#thinker", "greedy")
    page.click("#run-think")
    page.wait_for_selector("#think .moves button")
    line = page.locator("#think .moves tr").nth(2)
    words = line.locator("button").inner_text()
    line.hover()
    choice = next(one for one in table.choices() if one["words"] == words)
    ghost = page.locator("#table .preview .ghost")
    assert ghost.get_attribute("x") == str(choice["cell"][1] * 100)
    assert ghost.get_attribute("href").endswith("".join(map(str, choice["edges"])))
    shots(page, "preview")
    page.mouse.move(5, 5)
    assert page.locator("#table .preview").count() == 0
    line.locator("button").click()
    page.wait_for_function("() => Number(document.getElementById('slider').max) > 0")
    assert table.history.frames[1]["move"] == words


def sells(table):
    return any(choice["words"].startswith("sell 2") for choice in table.choices())


def test_edges_carry_their_choices_the_best_sale_first(opened, catalogue):
    path, table = saved_at(catalogue, ["human", "random"], sells)
    page = opened(path).page
    page.wait_for_selector("#table .act")
    choices = table.choices()
    assert page.locator("#table .act").count() == len(choices)
    listed = [
        int(one.get_attribute("data-action")) for one in page.locator("#choice .list button").all()
    ]
    worth = {choice["action"]: choice["worth"] for choice in choices}
    assert [worth[action] for action in listed] == sorted(worth.values(), reverse=True)
    wanted = next(choice for choice in choices if choice["words"].startswith("sell 2"))
    label = page.locator(f'#table .act[data-act="{wanted["action"]}"]')
    assert label.text_content().strip().endswith("sell 2")
    assert wanted["effect"] in label.get_attribute("aria-label")
    shots(page, "acts")
    before = len(table.history)
    label.click()
    page.wait_for_function("(n) => Number(document.getElementById('slider').max) > n", arg=before)
    assert table.history.frames[before + 1]["move"] == wanted["words"]


def crowded_edges(table):
    """Whether three edges have choices, some of which would cover others if each lay at its edge."""
    acts = [one for one in table.choices() if one["kind"] == "act"]
    edges = Counter((tuple(one["worker"]), tuple(one["cell"])) for one in acts)
    # In the picture a cell is 100 wide, a choice 60 wide and 25 high.
    lie = [(50 * (a + c), 50 * (b + d), 25 * count) for ((a, b), (c, d)), count in edges.items()]
    return len(edges) > 2 and any(
        abs(one[1] - other[1]) < 60 and abs(one[0] - other[0]) < (one[2] + other[2]) / 2
        for one, other in combinations(lie, 2)
    )


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_choices_on_the_table_cover_no_others(opened, catalogue, size, language):
    path, table = saved_at(catalogue, ["human", "random"], crowded_edges, range(200))
    page = opened(path, size, locale=language).page
    page.wait_for_selector("#table .act")
    for one in page.locator("#table .act").all():
        around = one.locator("rect").bounding_box()["width"]
        assert one.locator("text").bounding_box()["width"] < around, "a text fits its frame"
    boxes = [one.bounding_box() for one in page.locator("#table .act rect").all()]
    assert len(boxes) == len(table.choices())
    for k, a in enumerate(boxes):
        for b in boxes[:k]:
            across = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
            down = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
            assert min(across, down) < 1.5, "their outlines may touch"
    for line in page.locator("#choice .list button").all():
        assert line.evaluate("one => one.scrollHeight - one.clientHeight") <= 0, "its text fits"
    shots(page, f"many-acts-{size[0]}-{language}")


def test_tiles_are_chosen_in_the_hand_and_in_the_display(opened, catalogue):
    page = opened().page
    begin(page, "human", "random", seed=4)
    table = newest(catalogue)
    page.wait_for_selector("#confirm")
    for kind in {choice["tile"] for choice in table.choices()}:
        page.locator(f'.hand [data-pick="{kind}"]').first.click()
        assert page.get_attribute(f'#choice [data-tile="{kind}"]', "aria-pressed") == "true"
        assert page.locator(".seat .name[aria-pressed=true]").count() == 0
    path, table = saved_at(
        catalogue,
        ["human", "random"],
        lambda table: len({one["tile"] for one in table.choices() if one["kind"] == "fill"}) > 1,
    )
    page.goto(page.url.split("#")[0] + path)
    for kind in table.history.frames[-1]["display"]:
        page.click(f'#supply [data-pick="{kind}"]')
        assert page.get_attribute(f'#choice [data-tile="{kind}"]', "aria-pressed") == "true"
    assert page.locator("#temples-list").count() == 1


# --- Reviews --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_reviews")
def test_a_finished_game_is_reviewed(opened, catalogue):
    name, frames = add_record(catalogue, finished(["greedy", "random"], 8))
    page = opened(f"#record={name}&ply={len(frames) - 1}").page
    page.click("#ask-review")
    page.wait_for_selector("#review progress")
    page.wait_for_selector("#review .summaries", timeout=120_000)
    found = catalogue.reviews.ask(name, catalogue.records.get(name).history)["review"]
    graded = [one for one in found["decisions"] if one["grade"]]
    assert page.locator("#curve circle.mark").count() == len(graded) > 3
    assert page.locator("#curve polyline").count() == 2
    assert page.locator("#log .blunder").count() == sum(s["blunders"] for s in found["seats"])
    for one in found["decisions"]:
        line = page.text_content(f'#log .line[data-ply="{one["ply"] + 1}"]')
        assert (f"−{one['gold']:.1f}" in line) == (one["gold"] >= 0.05)
    table = page.inner_text("#review .summaries")
    for seat in found["seats"]:
        assert f"{seat['mean_loss']:.2f}" in table
    worst = found["decisions"][found["seats"][1]["worst"]]
    row = page.locator("#review .summaries tr").nth(2)
    row.locator("button").last.click()
    assert page.inner_text("#count").startswith(f"{worst['ply'] + 1} /")
    text = page.inner_text("#review .judged")
    for part in (worst["move"], worst["best"], worst["grade"], f"−{worst['gold']:.1f} gold"):
        assert part in text
    assert page.locator("#table .preview").count() == 1, "the best move beside the one played"
    shots(page, "review")
    page.click("#curve-kind [value=scores]")
    assert page.locator("#curve polyline").count() == 4


@pytest.mark.usefixtures("quick_reviews")
def test_tables_of_figures_are_cut_at_no_width(opened, catalogue):
    table = finished(["greedy", "greedy", "random", "random"], 8, volcanoes=True)
    data = json.loads(record.dumps(table.record()))
    data["players"] = ["criollo+search:ms=200", "Ana", "María Fernanda de la Concepción", "x" * 60]
    name = catalogue.add_record(data, "a.json")
    page = opened(f"#record={name}&ply=9999").page
    page.click("#ask-review")
    page.wait_for_selector("#review .summaries", timeout=120_000)
    for language in ("en", "es"):
        page.evaluate("(l) => localStorage.setItem('cacao language', l)", language)
        page.reload()
        page.click("#ask-review")
        page.wait_for_selector("#review .summaries")
        for width in (1920, 1366, 1280, 1024, 820, 640, 400, 360, 320):
            page.set_viewport_size({"width": width, "height": 800})
            for what in ("#result .wide", "#review .wide", "html"):
                cut = page.eval_on_selector(what, "one => one.scrollWidth - one.clientWidth")
                assert cut <= 0, f"{what} at {width}, {language}"
            shots(page, f"tables-{language}-{width}")


def test_cacao_ranks_players_with_the_same_score(opened, catalogue):
    table = finished(["greedy", "greedy"], 159)
    (one, other), cacao = table.game.scores(), table.game.state.cacao.tolist()
    assert one == other, "another seed is needed, whose game ends in a tie"
    assert cacao[0] != cacao[1]
    name, frames = add_record(catalogue, table)
    page = opened(f"#record={name}&ply={len(frames) - 1}").page
    rows = page.locator("#result tr[data-seat]")
    rows.first.wait_for()
    assert [int(row.get_attribute("data-seat")) for row in rows.all()] == sorted(
        range(2), key=lambda seat: -int(table.game.state.cacao[seat])
    )
    assert [row.locator("th").inner_text()[:2] for row in rows.all()] == ["1.", "2."]
    assert "the one with more cacao ranks higher" in page.inner_text("#result .tie")


@pytest.mark.usefixtures("quick_reviews")
def test_an_exported_game_has_its_review(browser, tmp_path):
    from cacao_env.cli import main

    table = finished(["random", "random"], 8)
    source, target = tmp_path / "g.json", tmp_path / "g.html"
    source.write_text(record.dumps(table.record()), encoding="utf-8")
    assert main(["view", str(source), "--export", str(target)]) == 0
    one = Page(browser, PHONE)
    one.page.goto(target.as_uri() + "#ply=25")
    one.page.wait_for_selector("#review .summaries")
    assert one.page.locator("#curve circle.mark").count() > 3
    shots(one.page, "export-phone")
    assert one.problems == []
    one.page.close()
    assert main(["view", str(source), "--export", str(target), "--no-review"]) == 0
    assert '"review":' not in target.read_text(encoding="utf-8").partition("<script>")[0]
