"""Write the tables of evaluations into a page: the leaderboard, the scores of named tasks.

Tables stand between two markers, in sections with a heading.  A section that was not measured stays as
it is, and so does the row of an agent that was not measured in a task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..envs.tasks import task_named
from ..tables import DataTable, read_between, write_between
from . import figures
from .figures import Data
from .intervals import counted


def sections_of(every: Sequence[Data]) -> dict[str, str]:
    """Return the sections of evaluations, in Markdown, by their headings."""
    found: dict[str, str] = {}
    by_task: dict[str, list[Data]] = {}
    for data in every:
        if data["settings"]["task"]:
            by_task.setdefault(data["settings"]["task"], []).append(data)
        else:
            found |= dict(map(_pairings, figures.by_players(data)))
    return found | {f"### `{task}`": _scores(task, some) for task, some in by_task.items()}


def _pairings(own: Data) -> tuple[str, str]:
    """Return heading and text of the games of so many players between all agents."""
    settings, blocks = own["settings"], min(r["blocks"] for r in own["results"])
    volcanoes = ", with volcanoes" if settings["options"][0]["volcanoes"] else ""
    tables = "\n\n".join(kind(own).markdown() for kind in (figures.ratings, figures.cross_table))
    helped = "".join(f"{sentence}\n" for sentence in figures.helped(own))
    return f"### {figures.heading(own)}{volcanoes}", (
        f"{tables}\n\n{helped}{counted(blocks, 'deal')} a pairing, each with the candidate in "
        f"every seat, seed {settings['seed']}; commit {own['git_commit'] or 'unknown'}; "
        f"{own['machine']['processor']}, {own['created'][:10]}.\n"
    )


def _scores(task: str, every: Sequence[Data]) -> str:
    about, results = task_named(task).about, [data["results"][0] for data in every]
    counts = figures.counted_names(results)
    head = ("agent in the learner's seat", "win share", "margin", "deals")
    rows = [
        (
            *(f"`{r['agent']}`", figures.share(r), figures.margin(r), f"{r['blocks']:,}"),
            *figures.counted_cells([r], counts),
        )
        for r in results
    ]
    table = DataTable((*head, *(f"{name} a move" for name in counts)), rows)
    helped = "".join(f"\n{line}" for data in every for line in figures.helped(data))
    return f"{about[0].upper()}{about[1:]}.\n\n{table.markdown()}\n{helped}"


def text_of(sections: Mapping[str, str]) -> str:
    """Return sections as one text."""
    return "\n".join(f"{heading}\n\n{text}" for heading, text in sections.items())


def write(page: str | Path, sections: Mapping[str, str]) -> None:
    """Replace the sections of a page; ValueError if it has no markers."""
    before: dict[str, str] = {}
    for part in f"\n{read_between(page)}".split("\n### ")[1:]:
        heading, _, text = part.partition("\n")
        before[f"### {heading}"] = text.strip() + "\n"
    after = before | {
        heading: _with_other_rows(text, before.get(heading, ""))
        for heading, text in sections.items()
    }
    write_between(page, text_of(after))


def _with_other_rows(text: str, before: str) -> str:
    """Return a task's table with the rows of before, in their order, where it has none of its own."""
    rows, old = _rows(text), _rows(before)
    lines = [line for line in text.splitlines() if line not in rows.values()]
    if not rows:
        return text
    place = 1 + max(number for number, line in enumerate(lines) if line.startswith("| ---"))
    return "\n".join([*lines[:place], *(old | rows).values(), *lines[place:]]) + "\n"


def _rows(text: str) -> dict[str, str]:
    """Return the rows of a table of agents, by their first cells."""
    return {line.split("|")[1]: line for line in text.splitlines() if line.startswith("| `")}
