"""The metrics that docs/training.md explains."""

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "training.md"


def documented(trainer: str) -> set[str]:
    """The names on the page whose last column has the trainer's letter."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines()]
    table = [row for row in rows if len(row) == 4 and row[0].startswith("`")]
    names = [row[0].strip("`") for row in table]
    assert len(names) == len(set(names)) > 20
    assert all(re.fullmatch("[APSRC]( [APSRC])*", row[3]) and row[2] for row in table)
    return {name for name, row in zip(names, table) if trainer in row[3].split()}


def logged(rows: list[dict]) -> set[str]:
    """The names that rows of metrics have, opponents and numbers of players replaced."""
    names = {name for row in rows for name in row}
    evaluated = r"(wins|margin)_\w+_[234]p(_half_width)?"
    return {re.sub(evaluated, r"\1_OPPONENT_Np\2", name) for name in names}
