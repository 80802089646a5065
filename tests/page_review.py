"""Time reviews in the page: ``python -m tests.page_review`` prints the seconds of three games."""

import tempfile
import time
from pathlib import Path

from cacao_env.cli import main as cacao

from .browser import Page, browsing, drop


def main() -> None:
    """Review games of trinitario against greedy, each on a page that was just opened."""
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        for seed in range(3):
            file = Path(folder) / "game.json"
            cacao(
                ["record", "--seed", str(seed), "--agents", "trinitario,greedy", "--out", str(file)]
            )
            page = Page(browser).page
            drop(page, "game.json", file.read_text())
            page.wait_for_selector("#count")
            page.keyboard.press("End")
            page.wait_for_selector("#ask-review")
            begin = time.perf_counter()
            page.click("#ask-review")
            page.wait_for_selector("#next-mistake", timeout=600_000)
            print(f"game {seed}: {time.perf_counter() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
