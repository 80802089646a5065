"""Write the leaderboard of docs/agents.md, from evaluations that a list describes or files hold.

Games are stored under ``HOME``, so a run that was stopped resumes; a changed list is
another evaluation.  Text outside the markers of the page is not changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..checks import as_path
from ..files import read_toml
from . import figures
from .run import Plan, make_plan

CONFIG, PAGE = "configs/leaderboard.toml", "docs/agents.md"
HOME = Path("runs/leaderboard")
BEGIN, END = "<!-- leaderboard: begin -->", "<!-- leaderboard: end -->"
_TYPES = {"players": int, "agents": list, "deals": int, "volcanoes": bool}
Data = Mapping[str, Any]


def plans(path: str | Path) -> list[Plan]:
    """Read the plans that a configuration lists; ValueError names an error."""
    data = read_toml(as_path(path))
    if set(data) != {"seed", "tables"} or not isinstance(data["tables"], list):
        raise ValueError(f"{path} has the keys {', '.join(data)}, expected seed and tables")
    if type(data["seed"]) is not int:
        raise ValueError(f"{path}: seed is {data['seed']!r}, expected an integer")
    return [_plan(f"{path}, table {i + 1}", t, data["seed"]) for i, t in enumerate(data["tables"])]


def _plan(where: str, entry: Any, seed: int) -> Plan:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: expected a table")
    for key, value in entry.items():
        if key not in _TYPES:
            raise ValueError(f"{where}: there is no key {key!r}; there are: {', '.join(_TYPES)}")
        if type(value) is not _TYPES[key]:
            raise ValueError(f"{where}: {key} is {value!r}, expected {_TYPES[key].__name__}")
    if missing := [key for key in ("players", "agents", "deals") if key not in entry]:
        raise ValueError(f"{where}: {missing[0]} is missing")
    agents, players, deals = entry["agents"], [entry["players"]], entry["deals"]
    try:
        volcanoes = entry.get("volcanoes", False)
        # A list is data: the classes of others are measured by ``cacao evaluate``, which names them.
        return make_plan(agents, players, volcanoes, deals, seed, allow_code=False)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def text_of(every: Sequence[Data]) -> str:
    """Return all tables in Markdown."""
    parts = []
    for data in every:
        settings = data["settings"]
        if settings.get("task"):
            raise ValueError(
                f"an evaluation is of the task {settings['task']}, expected agents against each other; "
                "`cacao tasks --page` writes scores of tasks"
            )
        volcanoes = ", with volcanoes" if settings["options"][0]["volcanoes"] else ""
        for own in figures.by_players(data):
            blocks = min(r["blocks"] for r in own["results"])
            parts.append(f"### {own['players']} players{volcanoes}\n")
            for kind in (figures.ratings, figures.cross_table):
                parts.append(kind(own).markdown() + "\n")
            parts.append(
                f"{figures.counted(blocks, 'deal')} a pairing, each with the candidate in every "
                f"seat, seed {settings['seed']}; commit {data['git_commit'] or 'unknown'}; "
                f"{data['machine']['processor']}, {data['created'][:10]}.\n"
            )
    return "\n".join(parts)
