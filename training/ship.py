"""Make a checkpoint to ship: everything about an agent in one folder, ``checkpoints/NAME``.

python -m training.ship add RUN NAME     copy what a checkpoint needs from a run's folder
python -m training.ship card NAME FILE   copy its rows from an evaluation's JSON file, write its card
python -m training.ship export NAME FILE write its network as ONNX

The folder has the network and its manifest, which are enough to play, the configuration, curves and
metrics of the training, the evaluation, sample records, a card for people (``README.md``) and the
checksums of all files.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cacao_env import Game, record
from cacao_env.agents.agent import Agent, play_game
from cacao_env.agents.checkpoint import (
    MANIFEST,
    NAME,
    ONNX,
    ORDER,
    VALUE_NET,
    WEIGHTS,
    CheckpointError,
    add_to_manifest,
    find,
    is_name,
    network_of,
    read_manifest,
    settle,
    shipped_home,
    shipped_names,
)
from cacao_env.agents.registry import load_agent
from cacao_env.agents.value.checkpoint import read_value
from cacao_env.checks import as_path, in_short
from cacao_env.engine.options import Options
from cacao_env.evaluation.run import loaded
from cacao_env.files import read_json, write_json, write_whole
from cacao_env.tables import DataTable

from .loop import parser_of, run_command
from .run_folder import CONFIG, CURVES, METRICS
from .values.net import value_onnx

EVALUATION, CARD, SUMS, RECORDS = "evaluation.json", "README.md", "SHA256SUMS", "records"
SAMPLES = 2  # records for each number of players
HOME = Path("checkpoints")


def add(run: Path, home: Path, name: str) -> Path:
    """Copy the files of a run that a checkpoint needs into ``home / name``, which must not exist.

    The card says that it has not been measured until ``measured`` is called.
    """
    path = home / name
    if path.name != name or not is_name(name):
        raise CheckpointError(f"the name is {in_short(name)}, expected {NAME} without a folder")
    if path.exists():
        raise CheckpointError(f"{path} is there already")
    read_manifest(run)
    agent = load_agent(str(run.resolve()))  # raises an error if the run can't be loaded
    settle(run)
    path.mkdir(parents=True)
    with ExitStack() as failed:
        failed.callback(shutil.rmtree, path)
        _fill(run, path, name, agent)
        failed.pop_all()
    order = home / ORDER
    listed = read_json(order, "names") if order.exists() else []
    if name not in listed:
        write_json(order, [*listed, name])
    return finish(path)


def _fill(run: Path, path: Path, name: str, agent: Agent) -> None:
    """Copy a run's files, and play some games."""
    for file in (WEIGHTS, ONNX, MANIFEST, CONFIG, CURVES, METRICS):
        if (run / file).exists():
            shutil.copy(run / file, path / file)
    add_to_manifest(path, name=name)
    (path / RECORDS).mkdir()
    for players in agent.players:
        for number in range(SAMPLES):
            own = getattr(agent, "options", None) or Options(players)  # those of a policy
            game = play_game(Game.deal(own, number), [agent.player(s) for s in range(players)])
            text = record.dumps(record.record_of(game))
            (path / RECORDS / f"{players}p-{number}.json").write_text(text, encoding="utf-8")
    if network_of(path) == VALUE_NET:
        export(path, path / ONNX)


def measured(path: Path, files: Sequence[Path]) -> Path:
    """Copy the results of this checkpoint, with or without search, from evaluations' JSON files."""
    manifest = read_manifest(path)
    kept: dict[tuple[Any, ...], dict[str, Any]] = {}
    for document in ({"results": results(path)}, *(_evaluation(file, manifest) for file in files)):
        about = {key: document.get(key) for key in ("created", "git_commit", "versions", "machine")}
        for row in document["results"]:
            if _is_own(row["agent"], manifest["name"]):
                seed = document.get("settings", {}).get("seed")
                key = (row["agent"], row["opponent"], row["players"], row["volcanoes"])
                kept[key] = {"about": about, "seed": seed, **row}
    rows = [kept[key] for key in sorted(kept)]
    write_json(path / EVALUATION, {"results": rows})
    return finish(path)


def results(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a checkpoint's evaluation; none if it has not been measured."""
    file = path / EVALUATION
    try:
        rows: list[dict[str, Any]] = read_json(file, "results")["results"] if file.exists() else []
    except (KeyError, TypeError):
        raise CheckpointError(f"{file} has no results") from None
    return rows


def _is_own(agent: str, name: str) -> bool:
    return agent == name or agent.startswith(f"{name}+")


def _evaluation(file: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Read what ``cacao evaluate --json`` wrote; CheckpointError if it measured other weights."""
    document = loaded(file)
    try:
        versions = document["settings"]["agents"]
        agents = {row[who] for row in document["results"] for who in ("agent", "opponent")}
        strength_table(document["results"])  # the card will show them
    except (KeyError, TypeError, ValueError):
        raise CheckpointError(f"{file} has no settings and results of agents") from None
    for agent in agents:
        if _is_own(agent, manifest["name"]) and versions.get(agent) != manifest["sha256"]:
            raise CheckpointError(f"{file}: {agent} had other weights there")
    return document


def finish(path: Path) -> Path:
    """Write the card and the checksums, as ``sha256sum`` does; return the folder."""
    write_whole(path / CARD, card(path))
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name != SUMS)
    sums = ((hashlib.sha256(p.read_bytes()).hexdigest(), p.relative_to(path)) for p in files)
    write_whole(path / SUMS, "".join(f"{digest}  {p.as_posix()}\n" for digest, p in sums))
    return path


def export(folder: Path, path: Path) -> None:
    """Write the network of a checkpoint as an ONNX file; a policy's is one."""
    if network_of(folder) == VALUE_NET:
        params, layout, _ = read_value(folder)
        write_whole(path, value_onnx(params, layout))
    else:
        load_agent(str(folder))  # raises an error if it can't be loaded
        shutil.copy(folder / ONNX, path)


# --- The card ---------------------------------------------------------------------------------


def card(path: Path) -> str:
    """Return the text of a checkpoint's ``README.md``: its use, strength and training."""
    manifest, name = read_manifest(path), path.name
    values, rules = manifest["network"] == VALUE_NET, manifest["rules"]
    kind = "a value network over positions after a turn, evaluated in compiled code"
    if not values:
        kind = "a policy network that scores every legal action of the table"
        if rules["observation"] == "candidates":
            kind = "a policy network over candidate rows: where each placement leads"
    search = f'\n\nload_agent("{name}+search:ms=16")  # stronger, with search' if values else ""
    trained = manifest.get("training", {})
    facts = {
        "algorithm": trained.get("algorithm"),
        "games": _number(trained.get("games")),
        "positions learned from": _number(trained.get("samples")),
        "decisions": _number(trained.get("decisions", trained.get("steps"))),
        "hours": f"{trained['seconds'] / 3600:.1f}" if "seconds" in trained else None,
        "units left after pruning": manifest["size"]["units"] if "pruned" in manifest else None,
    }
    players = ", ".join(map(str, rules.get("players") or [rules["num_players"]]))
    volcanoes = ("with and without" if values else "with") if rules["volcanoes"] else "without"
    features = manifest.get("features", rules.get("features"))
    curves = "![curves](curves.png)\n\n" if (path / CURVES).exists() else ""
    network = (
        "- `weights.safetensors`: the weights, with rules and feature version in their metadata\n"
        if values
        else ""
    )
    return (
        f"# {name}\n\nAn agent for the board game Cacao: {kind}.\n\n"
        "```python\nfrom cacao_env.agents.registry import load_agent\n\n"
        f'agent = load_agent("{name}"){search}\n```\n\n'
        f"```bash\npython -m cacao_env evaluate {name} greedy\n```\n\n"
        f"## Strength\n\n{strength_table(results(path))}\n"
        f"`{EVALUATION}` has all figures with intervals, seeds and versions.\n\n"
        "## Training\n\n"
        + "\n".join(f"- {fact}: {value}" for fact, value in facts.items() if value is not None)
        + "\n\n<details><summary>configuration at training time</summary>\n\n"
        f"```json\n{json.dumps(trained.get('config', {}), indent=2)}\n```\n\n</details>\n\n{curves}"
        "## Limits\n\n"
        f"The agent plays games of {players} players {volcanoes} volcanoes, by the rules of this "
        f"package; features {features}. It was trained against itself "
        "or programs and measured against programs. Nothing is claimed about human players.\n\n"
        "## Licence\n\nMIT, like the package: weights, card and games.\n\n"
        f"## Files\n\n{network}"
        "- `manifest.json`: their games, their checksum, versions\n"
        "- `config.json, metrics.jsonl, curves.png`: the training\n"
        f"- `{EVALUATION}`: the measurement\n"
        f"- `{RECORDS}/`: a few games as records (`python -m cacao_env replay FILE`)\n"
        f"- `{ONNX}`: the network for ONNX runtimes\n"
        f"- `{SUMS}`: checksums of all of these\n"
    )


def strength_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table with a row for each opponent, number of players and rules."""
    if not rows:
        return "It has not been measured.\n"
    head = ("agent", "against", "players", "wins", "95 %", "margin, gold", "deals", "ms a move")
    cells = [
        (
            *(r["agent"], r["opponent"]),
            f"{r['players']}{', volcanoes' if r['volcanoes'] else ''}",
            f"{r['win_share']:.1%}",
            f"{r['low']:.1%} to {r['high']:.1%}",
            *(f"{r['margin']:+.1f}", f"{r['blocks']:,}", f"{r['ms_per_move']:.2f}"),
        )
        for r in sorted(
            rows, key=lambda r: (r["players"], r["volcanoes"], r["agent"], r["opponent"])
        )
    ]
    return (
        f"{DataTable(head, cells, align='l').markdown()}\n\n"
        "Each deal was played with the agent in every seat and copies of the opponent in all others."
        " Intervals are over deals. Equal agents would win half with 2 players, a third with 3, a"
        " quarter with 4.\n"
    )


def _number(value: Any) -> str | None:
    return None if value is None else f"{value:,}"


# --- The command line -------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = parser_of("ship", __doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    one = commands.add_parser("add", help="make a checkpoint from a run")
    one.add_argument("run", type=as_path)
    one.add_argument("name")
    one.add_argument("--home", type=as_path, help="default: checkpoints")
    one = commands.add_parser("card", help="copy rows from evaluations' JSON files")
    one.add_argument("name")
    one.add_argument("files", type=as_path, nargs="*")
    one = commands.add_parser("export", help="write an ONNX file")
    one.add_argument("name")
    one.add_argument("file", type=as_path)
    options = parser.parse_args(arguments)

    def work() -> int:
        if options.command == "add":
            made = add(options.run, options.home or shipped_home() or HOME, options.name)
            print(
                f"{made}: made; measure it and take the figures with: python -m training.ship card"
            )
            return 0
        path = find(options.name)
        if path is None:
            there = ", ".join(shipped_names())
            raise CheckpointError(f"there is no checkpoint {options.name!r}; there are: {there}")
        if options.command == "card":
            print(f"{measured(path, options.files)}: {len(results(path))} rows")
        else:
            export(path, options.file)
            print(options.file)
        return 0

    return run_command(work)


if __name__ == "__main__":
    sys.exit(main())
