"""The site that mkdocs built in site/: whole without a server, and with nothing from elsewhere."""

import re

import pytest

from cacao_env.cli.spec import tables
from tests.browser import browsing
from tests.sources import ROOT
from tests.test_reference import LISTED

SITE = ROOT / "site"
pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="mkdocs build --strict makes the site")


def test_pages_load_nothing_from_elsewhere():
    pages = list(SITE.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?([^\"\s>]+)", text)
        loaded += re.findall(
            r"<link\b[^>]*rel=\"?(?:stylesheet|icon|preload)[^>]*href=\"?([^\"\s>]+)", text
        )
        assert loaded, page
        assert not [one for one in loaded if re.match(r"(https?:)?//", one)], page


def test_search_works_from_a_folder():
    asked = []
    with browsing() as browser:
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((SITE / "tutorials" / "index.html").as_uri())
        page.click("[data-md-component=search-query]")
        page.keyboard.type("afterstate")
        page.wait_for_selector(".md-search-result__link")
        assert "help.html" in page.locator(".md-search-result__link").evaluate_all(
            "links => links.map(link => link.href).join()"
        )
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))]


def test_the_tables_are_those_that_the_command_prints():
    page = (SITE / "spec.html").read_text(encoding="utf-8")
    cells = {cell.strip().strip("`") for row in tables().splitlines() for cell in row.split("|")}
    named = {cell for cell in cells if re.fullmatch(r"[a-z]+_\w+|\d+(\.\.|:)\d+", cell)}
    assert len(named) > 60
    assert not [cell for cell in named if cell not in page]


def test_the_reference_shows_every_public_name_and_nothing_private():
    text = "".join(page.read_text(encoding="utf-8") for page in SITE.glob("reference/*.html"))
    shown = set(re.findall(r'id="?(cacao_env\.[\w.]+)', text))
    assert set(LISTED) <= shown
    assert not [name for name in shown if re.search(r"\._", name)]
    assert ":class:" not in text
