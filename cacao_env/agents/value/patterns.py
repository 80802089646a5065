"""The surroundings of a worker cell as one number, the same for all rotations and reflections.

A pattern is four letters, one for each side of the cell.  There are so few patterns that a network has
a row of weights for each (n-tuple networks; Lucas, 2008), and all eight board symmetries hold by
construction.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np

from ...engine.tiles import VOLCANO, VOLCANO_GOLD, VOLCANO_TURNED

# Letters: an empty jungle cell, the same with a worker tile beside it, each jungle kind; volcanoes by
# whether they give on the side that faces the cell.
EMPTY, BESIDE = range(2)
PAYS, COSTS = VOLCANO + 1, VOLCANO + 2
NUM_LETTERS = COSTS + 1

# LETTER[side, code]: of the jungle tile on a side of a worker cell.
LETTER = np.zeros((4, VOLCANO_TURNED + 1), np.int64)
for _side in range(4):
    for _code in range(1, VOLCANO_TURNED + 1):
        if _code < VOLCANO:
            LETTER[_side, _code] = _code + 1
        else:
            _gold = VOLCANO_GOLD[_code - VOLCANO, (_side + 2) % 4]
            LETTER[_side, _code] = PAYS if _gold > 0 else COSTS

# The eight symmetries, by the source of each side's letter.
_SYMMETRIES = [
    tuple((start + step * side) % 4 for side in range(4)) for start in range(4) for step in (1, -1)
]


def _number_patterns() -> tuple[np.ndarray, np.ndarray]:
    letters = np.indices((NUM_LETTERS,) * 4).reshape(4, -1).T
    weights = NUM_LETTERS ** np.arange(3, -1, -1)
    least = np.min([letters[:, list(order)] @ weights for order in _SYMMETRIES], axis=0)
    kept, numbers = np.unique(least, return_inverse=True)
    return numbers.reshape(-1).astype(np.uint16), letters[kept]


# PATTERN[word]: the pattern's number, ``word`` its letters in base NUM_LETTERS, north first.
# PATTERN_LETTERS[number]: letters of one of the words of each pattern.
PATTERN, PATTERN_LETTERS = _number_patterns()
NUM_PATTERNS = len(PATTERN_LETTERS)
NUM_PARTS = NUM_LETTERS + NUM_LETTERS * (NUM_LETTERS + 1)  # letters, adjacent pairs, opposite pairs


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a <= b else (b, a)


@cache
def part_numbers() -> np.ndarray:
    """Return the parts of each pattern, shape (NUM_PATTERNS, 10): letters, then pairs of letters.

    Parts are the letters on the four sides, the pairs on adjacent sides and those on opposite ones.
    The weights of a part serve all patterns that have it, including rare ones.
    """
    pairs = list(combinations_with_replacement(range(NUM_LETTERS), 2))
    place = {pair: number for number, pair in enumerate(pairs)}
    adjacent, across = NUM_LETTERS, NUM_LETTERS + len(pairs)
    numbers = [
        [
            *letters,
            *(adjacent + place[_pair(letters[s], letters[(s + 1) % 4])] for s in range(4)),
            *(across + place[_pair(letters[s], letters[s + 2])] for s in range(2)),
        ]
        for letters in PATTERN_LETTERS.tolist()
    ]
    return np.array(numbers, np.int64)


@cache
def parts_and_counts() -> tuple[np.ndarray, np.ndarray]:
    """Return the parts of each pattern in order, and how often it has each; both (10, NUM_PATTERNS).

    A part that stands again has the count 0.
    """
    numbers = np.sort(part_numbers(), axis=1).T
    counts = (numbers[:, None] == numbers[None]).sum(0).astype(np.float32)
    counts[1:] *= numbers[1:] != numbers[:-1]
    return numbers, counts
