"""Write the card (README.md) and the checksums (SHA256SUMS) of shipped checkpoints.

python -m training.card trinitario forastero
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from cacao_env.agents.checkpoint import VALUE_NET, CheckpointError, find, read_manifest
from cacao_env.files import read_json, write_whole
from cacao_env.tables import DataTable

from .loop import parser_of, run_command

CARD, SUMS, EVALUATION = "README.md", "SHA256SUMS", "evaluation.json"


def card(folder: Path) -> str:
    """Return the text of a checkpoint's card, from its manifest and its evaluation."""
    manifest, name = read_manifest(folder), folder.name
    rules, trained = manifest["rules"], manifest["training"]
    kind = "value" if manifest["network"] == VALUE_NET else "policy"
    players = ", ".join(map(str, rules.get("players") or [rules["num_players"]]))
    both = "with and without" if kind == "value" else "with"
    volcanoes = both if rules["volcanoes"] else "without"
    counts = [f"- {n}: {trained[n]:,}" for n in ("games", "decisions") if n in trained]
    lines = "\n".join([f"- algorithm: {trained['algorithm']}", *counts])
    return (
        f"# {name}\n\nAn agent for the board game Cacao: a {kind} network for games of {players} "
        f"players {volcanoes} volcanoes.\n\n"
        f"```bash\npython -m cacao_env evaluate {name} greedy\n```\n\n"
        f"## Strength\n\n{strength(folder / EVALUATION)}\n\n## Training\n\n{lines}\n\n"
        "`config.json` has the configuration, `metrics.jsonl` shows the run. The agent "
        "met itself and programs, so nothing is claimed about human players.\n\n## Files\n\n"
        f"`sha256sum -c {SUMS}` checks the files. Their licence is that of the package, MIT.\n"
    )


def strength(evaluation: Path) -> str:
    """Return a table with a row for each result of an evaluation."""
    head = ("agent", "against", "players", "wins", "95 %", "margin, gold", "deals")
    try:
        cells = [
            (
                *(r["agent"], r["opponent"], f"{r['players']}{', volcanoes' * r['volcanoes']}"),
                *(f"{r['win_share']:.1%}", f"{r['low']:.1%} to {r['high']:.1%}"),
                *(f"{r['margin']:+.1f}", f"{r['blocks']:,}"),
            )
            for r in read_json(evaluation, "results", CheckpointError)["results"]
        ]
    except (KeyError, TypeError):
        raise CheckpointError(f"{evaluation} has no results of an evaluation") from None
    return DataTable(head, cells, align="l").markdown()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = parser_of("card", __doc__)
    parser.add_argument("names", nargs="+", help="checkpoints")
    names = parser.parse_args(arguments).names

    def work() -> int:
        for name in names:
            folder = find(name)
            if folder is None:
                raise CheckpointError(f"there is no checkpoint {name!r}")
            write_whole(folder / CARD, card(folder))
            files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != SUMS)
            sums = [(hashlib.sha256(p.read_bytes()).hexdigest(), p) for p in files]
            lines = (f"{digest}  {p.relative_to(folder).as_posix()}\n" for digest, p in sums)
            write_whole(folder / SUMS, "".join(lines))
        return 0

    return run_command(work)


if __name__ == "__main__":
    sys.exit(main())
