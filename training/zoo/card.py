"""The card of a checkpoint: a page on its use, strength and training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cacao_env.agents.checkpoint import ROW_NET, VALUE_NET

from .folder import EVALUATION, ONNX, RECORDS, SUMS, Shipped

_KINDS = {
    VALUE_NET: "a value network over positions after a turn, evaluated in compiled code",
    "cell-net": "a policy network that scores every legal action of the table",
    ROW_NET: "a policy network over candidate rows: where each placement leads",
}


def card(checkpoint: Shipped) -> str:
    """Return the text of a checkpoint's ``README.md``."""
    manifest = checkpoint.manifest
    trained = manifest.get("training", {})
    parts = [
        f"# {checkpoint.name}\n",
        f"An agent for the board game Cacao: {_KINDS[manifest['network']]}.\n",
        _use(checkpoint.name, manifest),
        "## Strength\n",
        strength_table(checkpoint.results()),
        f"`{EVALUATION}` has all figures with intervals, seeds and versions.\n",
        "## Training\n",
        _made(trained, manifest["size"]["units"] if "pruned" in manifest else None),
        "![curves](curves.png)\n" if (checkpoint.path / "curves.png").exists() else "",
        _limits(manifest),
        "## Files\n",
        _files(),
    ]
    return "\n".join(part for part in parts if part)


def _use(name: str, manifest: dict[str, Any]) -> str:
    searching = f'\n\nload_agent("{name}+search:ms=16")  # stronger, with search'
    code = (
        "```python\nfrom cacao_env.agents.registry import load_agent\n\n"
        f'agent = load_agent("{name}")'
        f"{searching if manifest['network'] == VALUE_NET else ''}\n```\n"
    )
    return f"{code}\n```bash\npython -m cacao_env evaluate {name} greedy\n```\n"


def strength_table(results: Sequence[dict[str, Any]]) -> str:
    """Return a table with a row for each opponent, number of players and rules."""
    if not results:
        return "It has not been measured.\n"
    lines = [
        "| agent | against | players | wins | 95 % | margin, gold | deals | ms a move |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for r in sorted(
        results, key=lambda r: (r["players"], r["volcanoes"], r["agent"], r["opponent"])
    ):
        players = f"{r['players']}{', volcanoes' if r['volcanoes'] else ''}"
        lines.append(
            f"| {r['agent']} | {r['opponent']} | {players} | {r['win_share']:.1%} | "
            f"{r['low']:.1%} to {r['high']:.1%} | {r['margin']:+.1f} | {r['blocks']:,} | "
            f"{r['ms_per_move']:.2f} |"
        )
    note = (
        "\nEach deal was played with the agent in every seat and copies of the opponent in all others."
        " Intervals are over deals. Equal agents would win half with 2 players, a third with 3, a"
        " quarter with 4.\n"
    )
    return "\n".join(lines) + "\n" + note


def _made(trained: dict[str, Any], pruned: int | None) -> str:
    facts = {
        "algorithm": trained.get("algorithm"),
        "games": _number(trained.get("games")),
        "positions learned from": _number(trained.get("samples")),
        "decisions": _number(trained.get("decisions", trained.get("steps"))),
        "hours": f"{trained['seconds'] / 3600:.1f}" if "seconds" in trained else None,
        "units left after pruning": pruned,
    }
    lines = [f"- {name}: {value}" for name, value in facts.items() if value is not None]
    config = json.dumps(trained.get("config", {}), indent=2)
    return (
        "\n".join(lines)
        + "\n\n<details><summary>configuration at training time</summary>\n\n"
        + f"```json\n{config}\n```\n\n</details>\n"
    )


def _number(value: Any) -> str | None:
    return None if value is None else f"{value:,}"


def _limits(manifest: dict[str, Any]) -> str:
    rules = manifest["rules"]
    players = rules.get("players") or [rules["num_players"]]
    volcanoes = "with and without" if rules["volcanoes"] else "without"
    return (
        "## Limits\n\n"
        f"The agent plays games of {', '.join(map(str, players))} players {volcanoes} volcanoes, by "
        f"the rules of this package; features {manifest['features']}. It was trained against itself or "
        "programs and measured against programs. Nothing is claimed about human players.\n"
    )


def _files() -> str:
    rows = {
        "weights.safetensors": "the weights, with rules and feature version in their metadata",
        "manifest.json": "their games, their checksum, versions",
        "config.json, metrics.jsonl, curves.png": "the training",
        EVALUATION: "the measurement",
        f"{RECORDS}/": "a few games as records (`python -m cacao_env replay FILE`)",
        ONNX: "the network for ONNX runtimes",
        SUMS: "checksums of all of these",
    }
    return "\n".join(f"- `{name}`: {what}" for name, what in rows.items()) + "\n"
