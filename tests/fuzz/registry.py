"""All attacks by name.  A new one is a function from a ``Budget`` to a ``Summary``, and a row here."""

from . import checkpoints, data, records, states
from .attack import Attack

ATTACKS: dict[str, Attack] = {
    "states": states.attack,
    "records": records.attack,
    "checkpoints": checkpoints.attack,
    "data": data.attack,
}
