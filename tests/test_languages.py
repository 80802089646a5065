"""Every text of the page is in every language: one table of English texts, one file a language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cacao_env.agents.bots import BOTS
from cacao_env.play.page import SCRIPTS, languages
from cacao_env.play.render.svg import svg
from cacao_env.play.rulebook import blocks, pictures
from cacao_env.play.table import HUMAN, Table
from tests.browser import ROOT_PAGE, Page, browsing, shots

DOCS = Path(__file__).parent.parent / "docs"
# Texts that are the same in every language, or no texts: names, keys, units.
SAME = {"", "?!", "??", "cacao"}


def texts_of_the_page():
    """English texts of the scripts, ``t("...")`` and the tables given to it, and of the page itself."""
    code = "\n".join((ROOT_PAGE / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    found = set()
    for call in re.finditer(r"\bt\(([^()]*?(?:\([^()]*\)[^()]*?)*)\)", code):
        head = call[1].split(", {")[0]
        found |= set(re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r"[=!]==? \"[^\"]*\"", "", head)))
    for table in ("VERBS", "ASKED", "DOING", "HINTS", "KIND_WORDS"):
        body = re.search(rf"const {table} = {{(.*?)}};", code, re.S)[1]
        found |= set(re.findall(r':\s*"([^"]*)"', body))
    body = re.search(r"const KEY_WORDS = \[(.*?)\n\];", code, re.S)[1]
    for row in re.findall(r'\["([^"]*)", "([^"]*)"', body):
        found |= set(row)
    found |= set(texts_of_the_rules())
    body = re.search(r"const LEVELS = (.*);", code)[1]
    found |= set(re.findall(r'"([^"]*)"', body))
    html = (ROOT_PAGE / "page.html").read_text(encoding="utf-8")
    for tag in re.findall(r"<[^>]*data-t[^>]*>[^<]*", html):
        found |= set(re.findall(r'(?:aria-label|title)="([^"]*)"', tag))
        found.add(tag.partition(">")[2].strip())
    drawings = re.compile(r"[jw]-[\w-]+")
    return (
        {text for text in found if re.search(r"[A-Za-z]{3}", text)}
        - SAME
        - {text for text in found if drawings.fullmatch(text)}
    )


def texts_of_the_rules():
    """Heads, paragraphs, items, cells and the words of pictures."""
    for block in blocks():
        yield from block.get("items", [])
        yield from (block[key] for key in ("head", "text") if key in block)
        head, *rows = block.get("rows", [[]])
        pictures = [block["picture"]] if "picture" in block else [row[0] for row in rows]
        yield from (picture["words"] for picture in pictures)
        yield from (*head, *(cell for row in rows for cell in row[1:]))


def test_the_rules_are_those_of_the_documentation():
    """One file; python -m tests.pictures draws its pictures."""
    text = (DOCS / "rules.md").read_text(encoding="utf-8")
    assert (ROOT_PAGE / "rules.md").read_text(encoding="utf-8") == text
    for one in texts_of_the_rules():
        assert one in " ".join(text.replace("\n- ", " ").split()), one
    assert len(text.split()) <= 1000  # five minutes
    drawn = {name: svg(scene) for name, scene in pictures().items()}
    assert {path.stem for path in (DOCS / "pictures" / "rules").glob("*.svg")} == set(drawn)
    for name, picture in drawn.items():
        path = DOCS / "pictures" / "rules" / f"{name}.svg"
        assert path.read_text(encoding="utf-8") == picture, "run python -m tests.pictures"
        assert f"(pictures/rules/{name}.svg)" in text


@pytest.mark.parametrize("language", languages())
def test_a_language_has_every_text(language):
    table = languages()[language]
    wanted = texts_of_the_page()
    assert len(wanted) > 150
    assert wanted - set(table) == set()


@pytest.mark.parametrize("language", languages())
def test_a_language_keeps_what_is_filled_in(language):
    for english, own in languages()[language].items():
        assert set(re.findall(r"\{\w+\}", own)) == set(re.findall(r"\{\w+\}", english)), english
        assert own.strip()


def words_of_games():
    """Moves and effects in words, as many different ones as a few games have."""
    found = set()
    for seed in range(3):
        table = Table([HUMAN, "greedy"], seed, volcanoes=seed == 1)
        while not table.game.over:
            if table.awaits_person:
                for choice in table.choices():
                    found |= {choice["words"], choice["effect"]}
                table.play(int(table.game.legal_actions()[-1]))
            else:
                table.advance()
    return found | {BOTS[name].meaning for name in BOTS}


def test_what_the_server_says_is_translated():
    """No word of the English table is left over."""
    with browsing() as browser:
        page = browser.new_page(locale="es-ES")
        page.set_content(page_with_translation())
        told = page.evaluate("(texts) => texts.map(window.translate)", sorted(words_of_games()))
    assert len(told) > 500
    english = re.compile(
        r"\b(place|fill|with|sell|harvest|market|mine|temple|water|the|worker|edge|gold|then|you)\b"
    )
    left = [text for text in told if english.search(text)]
    assert left == []
    assert any("coloca 1-1-1-1 en" in text for text in told)
    assert any(text.startswith("no vende nada en mercado 2 (desde el ") for text in told)
    assert not any(text.startswith("vende nada") for text in told)


def page_with_translation():
    from cacao_env.play.page import page

    text = page("Cacao", {"frames": [], "tiles": [], "names": [], "title": ""})
    return text.replace("begun();\n", "window.translate = tr;\n", 1)


def test_the_page_speaks_spanish_and_keeps_the_choice():
    from cacao_env.play.catalogue import Catalogue
    from tests.browser import serving

    with browsing() as browser, serving(Catalogue()) as address:
        one = Page(browser)
        page = one.page
        page.goto(address)
        page.wait_for_selector("#begin")
        assert page.inner_text("#begin") == "Begin"
        page.keyboard.press("Escape")
        page.select_option("#language", "es")
        page.wait_for_selector("#begin:has-text('Empezar')")
        assert page.get_attribute("html", "lang") == "es"
        page.select_option("select[name=seat1]", "greedy")
        page.fill("#seed", "3")
        page.click("#begin")
        page.wait_for_selector("#confirm")
        assert page.inner_text("#headline") == "Turno 1 de 22: te toca colocar una loseta"
        assert page.inner_text("#undo") == "Deshacer"
        assert page.get_attribute("#closer", "aria-label") == "Acercar"
        shots(page, "spanish")
        page.click("#show-rules")
        assert "dos losetas de trabajadores nunca comparten un lado" in page.inner_text("#rules")
        assert page.locator("#rules svg use").count() == len(pictures())
        shots(page, "rules")
        json.dumps(one.problems)
        assert one.problems == []
