"""Checking game records by the reference rules."""

from tests.reference.oracle import Oracle


def check_record(record: dict) -> None:
    """Raise AssertionError or ValueError at the first thing that is wrong."""
    rules = record["rules"]
    deal = record["worker_draws"], record["jungle_draws"]
    oracle = Oracle(rules["num_players"], rules["volcanoes"], *deal)
    for number, entry in enumerate(record["moves"], 1):
        legal = oracle.legal_moves()
        assert entry["player"] == oracle.player, number
        if "legal" in entry:
            assert sorted(map(as_move, entry["legal"])) == sorted(legal), number
        alone = entry.get("auto") and rules["decisions"] == "explicit"
        assert not alone or len(legal) == 1, f"move {number} was made without asking"
        oracle.play(as_move(entry["move"]))
    assert record["result"] == oracle.result()


def as_move(value: list) -> tuple:
    """A move of a record as the oracle wants it."""
    return tuple(tuple(part) if isinstance(part, list) else part for part in value)
