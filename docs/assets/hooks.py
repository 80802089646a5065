"""MkDocs hooks: pages of the repository's root are part of the site, and links to them work in both."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
PAGES = {f"{name}.md": f"{name.lower()}.md" for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY")}


def on_files(files, config):
    """Add the root's pages, whose links to docs/ lead to the site's, and the page of the game."""
    for source, target in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, there in PAGES.items():
            text = text.replace(f"]({other}", f"]({there}")
        files.append(File.generated(config, target, content=text))
    play = (ROOT / "cacao_env/play/page/play.html").read_text(encoding="utf-8")
    files.append(File.generated(config, "play.html", content=play))
    return files


def on_page_markdown(markdown, page, config, files):
    """Fill in the tables of the code, and point links that leave docs/ at the site's own pages."""
    if "<!-- cacao spec -->" in markdown:
        from cacao_env.cli.spec import tables

        markdown = markdown.replace("<!-- cacao spec -->", tables())
    up = "../" * page.file.src_uri.count("/")
    for source, target in PAGES.items():
        markdown = re.sub(rf"\]\((?:\.\./)+{source}", f"]({up}{target}", markdown)
    return markdown


def on_page_content(html, page, config, files):
    """Docstrings name things by roles, ``:class:`~a.b.Name```; show the name alone."""
    return re.sub(r":(?:class|meth|mod|func|attr):<code>(?:~[\w.]*\.|\.)?", "<code>", html)
