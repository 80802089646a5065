"""Write the tables of docs/leaderboard.md anew.

    python -m cacao_env.evaluation.leaderboard                     # play what configs/leaderboard.toml lists
    python -m cacao_env.evaluation.leaderboard --json a.json b.json    # or take evaluations that there are

Games are kept under ``runs/leaderboard``, so a run that was stopped goes on where it was, and one with
a longer list is another evaluation.  What stands outside of the markers is left alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cacao_env.markdown import between_markers

from . import tables
from .evaluate import add_playing_options, player_on
from .matches import Rules
from .run import FORMAT, VERSION, Plan, default_folder, document, make_plan, run_evaluation
from .run import settings as settings_of
from .store import Store
from .workers import PlayAll, WorkerError

CONFIG, PAGE = "configs/leaderboard.toml", "docs/leaderboard.md"
BEGIN, END = "<!-- leaderboard: begin -->", "<!-- leaderboard: end -->"
_TYPES = {"players": int, "agents": list, "blocks": int, "volcanoes": bool}
Data = Mapping[str, Any]


def plans(path: str | Path) -> list[Plan]:
    """The evaluations that a configuration lists; ValueError names what is wrong in it."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
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
    if missing := [key for key in ("players", "agents", "blocks") if key not in entry]:
        raise ValueError(f"{where}: {missing[0]} is missing")
    rules = Rules(seed, entry.get("volcanoes", False))
    try:
        return make_plan(entry["agents"], [entry["players"]], entry["blocks"], rules)[0]
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def evaluated(plan: Plan, workers: int | None, play: PlayAll) -> Data:
    """Play a plan, or what is left of it; its figures."""
    _, agents = make_plan(plan.specs, plan.players, plan.blocks, plan.rules)
    folder = Path("runs/leaderboard") / default_folder(plan, agents).name
    store = Store(folder, settings_of(plan, agents))
    try:
        data = document(run_evaluation(plan, store, agents, workers, play))
    finally:
        store.close()
    (folder / "evaluation.json").write_text(json.dumps(data, indent=2) + "\n")
    return data


def loaded(path: str) -> Data:
    """The figures that ``cacao_env.evaluation.evaluate --json`` wrote."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from None
    except ValueError:
        raise ValueError(f"{path} is not JSON") from None
    if not isinstance(data, dict) or (data.get("format"), data.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{path} is not a {FORMAT} file of version {VERSION}")
    return data


def text_of(every: Sequence[Data]) -> str:
    """All tables, in Markdown."""
    parts = []
    for data in every:
        settings = data["settings"]
        for players in sorted({row["players"] for row in data["ratings"]}):
            volcanoes = ", with volcanoes" if settings["volcanoes"] else ""
            blocks = min(r["blocks"] for r in data["results"] if r["players"] == players)
            parts.append(f"## {players} players{volcanoes}\n")
            parts.append(tables.markdown(*tables.ratings(data, players)) + "\n")
            parts.append(tables.markdown(*tables.cross_table(data, players)) + "\n")
            parts.append(
                f"{tables.counted(blocks, 'deal')} a pairing, each with the candidate in every "
                f"seat, seed {settings['seed']}; commit {data['git_commit'] or 'unknown'}; "
                f"{data['machine']['processor']}, {data['created'][:10]}.\n"
            )
    return "\n".join(parts)


def written(page: Path, tables_text: str) -> str:
    """The page with the tables between its markers; ValueError if it has not got them."""
    return between_markers(page, BEGIN, END, tables_text)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m cacao_env.evaluation.leaderboard", description=__doc__
    )
    parser.add_argument("--config", default=CONFIG, help="what to play")
    parser.add_argument("--json", nargs="+", metavar="FILE", help="evaluations to take instead")
    parser.add_argument("--page", default=PAGE, help="the Markdown page with the markers")
    add_playing_options(parser)
    options = parser.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        page = Path(options.page)
        written(page, "")  # before anything is played
        if options.json:
            every = [loaded(path) for path in options.json]
        else:
            todo, play = plans(options.config), player_on(options.ray)
            every = [evaluated(plan, options.workers, play) for plan in todo]
        page.write_text(written(page, text_of(every)), encoding="utf-8")
    except KeyboardInterrupt:
        print("interrupted; the same command goes on where it was", file=sys.stderr)
        return 130
    except (ValueError, WorkerError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{page}: {sum(len(data['results']) for data in every)} pairings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
