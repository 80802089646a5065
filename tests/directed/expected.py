"""What the rules page says of the events in the directed games, worked out by hand.

Moves have their numbers in the record, from 0.  Holdings are gold, cacao, sun tokens and the value of
the water field.
"""

from tests.directed.events import Act

# Rules 4C.  The water track is -10, -4, -1, 0, 2, 4, 7, 11, 16.
ACTS = {
    "last-water-1": [
        Act(25, "earlier", "water", 0, 2, (0, 0, 0, 7), (0, 0, 0, 16)),
        Act(68, "laid", "water", 1, 1, (0, 1, 1, 11), (0, 1, 1, 16)),
        Act(69, "other", "water", 0, 2, (0, 0, 1, 16), (0, 0, 1, 16)),  # stopped for good
    ],
    "last-water-2": [
        Act(40, "own", "water", 0, 3, (4, 2, 0, 4), (4, 2, 0, 16)),
        Act(78, "laid", "water", 1, 3, (1, 4, 0, 4), (1, 4, 0, 16)),
    ],
    "last-water-3": [
        Act(81, "laid", "water", 0, 2, (10, 3, 0, 7), (10, 3, 0, 16)),
        Act(89, "own", "water", 2, 1, (3, 4, 1, 11), (3, 4, 1, 16)),
    ],
    "last-water-4": [
        Act(62, "other", "water", 1, 2, (0, 0, 0, 7), (0, 0, 0, 16)),
        Act(75, "own", "water", 0, 2, (11, 0, 0, 11), (11, 0, 0, 16)),  # one worker too many
    ],
    "last-water-5": [
        Act(69, "laid", "water", 1, 3, (5, 2, 0, 7), (5, 2, 0, 16)),  # one too many
        Act(70, "other", "water", 2, 3, (3, 0, 0, 7), (3, 0, 0, 16)),  # one too many
    ],
    "last-water-6": [Act(95, "other", "water", 1, 3, (1, 3, 1, 4), (1, 3, 1, 16))],
    "last-water-7": [Act(86, "own", "water", 2, 2, (11, 0, 0, 7), (11, 0, 0, 16))],
    "last-water-8": [Act(85, "other", "water", 2, 1, (4, 4, 1, 11), (4, 4, 1, 16))],
    "last-water-9": [Act(105, "over", "water", 2, 2, (7, 0, 0, 7), (7, 0, 0, 16))],
    "overbuilt-3p-1": [
        Act(99, "over", "plantation1", 1, 1, (10, 5, 2, 0), (10, 5, 2, 0)),  # the storage is full
        Act(100, "over", "water", 1, 1, (10, 5, 2, 0), (10, 5, 2, 2)),
        Act(101, "over", "mine2", 1, 1, (10, 5, 2, 2), (12, 5, 2, 2)),
        Act(103, "over", "plantation1", 2, 1, (16, 3, 2, 0), (16, 4, 2, 0)),
        Act(105, "over", "market2", 2, 1, (16, 4, 2, 2), (18, 3, 2, 2)),
        Act(110, "over", "mine1", 0, 1, (15, 4, 2, 2), (16, 4, 2, 2)),
        Act(113, "over", "market3", 1, 2, (12, 5, 1, 2), (18, 3, 1, 2)),
        Act(114, "over", "sun", 1, 1, (18, 3, 1, 2), (18, 3, 2, 2)),
        Act(116, "over", "plantation2", 2, 1, (18, 3, 1, 2), (18, 5, 1, 2)),
        Act(122, "over", "market4", 0, 1, (16, 5, 1, 2), (20, 4, 1, 2)),
        Act(125, "over", "water", 1, 3, (18, 3, 1, 2), (18, 3, 1, 11)),
    ],
    "overbuilt-4p-1": [
        Act(94, "over", "volcano-1", 2, 1, (8, 3, 0, -4), (7, 3, 0, -4)),
        Act(96, "over", "water", 2, 1, (7, 4, 0, -4), (7, 4, 0, -1)),
        Act(103, "over", "sun", 0, 1, (2, 3, 2, 0), (2, 3, 3, 0)),
        Act(104, "over", "market2", 0, 1, (2, 3, 3, 0), (4, 2, 3, 0)),
        Act(107, "over", "market3", 1, 1, (14, 1, 1, -4), (17, 0, 1, -4)),
        Act(108, "over", "market2", 1, 1, (17, 0, 1, -4), (17, 0, 1, -4)),  # nothing to sell
        Act(118, "over", "market4", 0, 1, (4, 4, 2, 0), (8, 3, 2, 0)),
        Act(127, "over", "volcano+2", 3, 1, (5, 5, 2, -4), (7, 5, 2, -4)),
        Act(129, "over", "plantation1", 0, 2, (8, 3, 1, 0), (8, 5, 1, 0)),
        Act(139, "over", "plantation2", 3, 1, (12, 4, 1, -4), (12, 5, 1, -4)),  # one is lost
    ],
    "three-cells-2p-1": [
        Act(61, "earlier", "plantation1", 1, 1, (5, 5, 0, -1), (5, 5, 0, -1)),
        Act(63, "laid", "market3", 1, 1, (5, 5, 0, -1), (8, 4, 0, -1)),
        Act(64, "laid", "sun", 1, 1, (8, 4, 0, -1), (8, 4, 1, -1)),
    ],
    "three-cells-3p-1": [
        Act(88, "own", "market3", 0, 1, (6, 1, 0, -1), (9, 0, 0, -1)),
        Act(90, "laid", "volcano-1", 0, 2, (9, 0, 0, -1), (7, 0, 0, -1)),
        Act(91, "earlier", "volcano-1", 0, 1, (7, 0, 0, -1), (6, 0, 0, -1)),
        Act(92, "other", "water", 1, 1, (7, 4, 2, -10), (7, 4, 2, -4)),
    ],
    "three-cells-4p-1": [
        Act(90, "laid", "volcano-1", 1, 1, (6, 1, 1, -10), (5, 1, 1, -10)),
    ],
}

# Rules 4B: the placement, the cells, the legal fills of each decision, the cells that stay empty.
_CELLS = [(-2, 2), (-1, 1), (0, 2)]
FILLS = {
    # Two tiles for three cells, the second for two, then the last tile of the pile for the third.
    "three-cells-2p-1": (55, _CELLS, [6, 2, 1], set()),
    # A volcano, which has two orientations, and water for three cells; then water for two.
    "three-cells-3p-1": (85, _CELLS, [9, 2], {(-2, 2)}),
    # A volcano alone for three cells.
    "three-cells-4p-1": (88, _CELLS, [6], {(-2, 2), (0, 2)}),
}

# Rules 5 and 6: the overbuilding, the temple, its workers before and after, and what changes for whom.
COVERS = {
    "overbuilt-3p-1": [
        (102, (1, -1), [1, 0, 2], [1, 0, 1], (0, 0, -3)),  # 3, 0, 6, then 3, 0, 3
        (120, (1, 3), [0, 1, 1], [1, 1, 1], (2, -1, -1)),  # 0, 3, 3, then 2 each
        (127, (1, 3), [1, 1, 1], [1, 1, 3], (-1, -1, 4)),  # 2 each, then 1, 1, 6
    ],
    "overbuilt-4p-1": [
        (93, (-1, -1), [1, 0, 3, 1], [1, 0, 2, 1], (0, 0, 0, 0)),  # 1, 0, 6, 1 before and after
        (119, (6, 0), [0, 2, 1, 0], [0, 1, 1, 0], (0, -3, 0, 0)),  # 0, 6, 3, 0, then 0, 3, 3, 0
    ],
}

# Rules 5: every temple's workers and gold; gold in all, sun tokens, water; the scores.
TEMPLES = {
    "temples-2p-1": (
        {
            (0, 2): ((2, 2), (3, 3)),
            (1, 3): ((2, 0), (6, 0)),
            (2, 6): ((3, 4), (3, 6)),
            (3, 3): ((1, 3), (3, 6)),
        },
        [(10, 4), (15, 15), (1, 0), (-4, -1), (22, 18)],
    ),
    "temples-3p-1": (
        {
            (-6, -4): ((1, 0, 2), (3, 0, 6)),
            (-5, -3): ((2, 2, 1), (3, 3, 0)),
            (-3, -5): ((3, 0, 3), (3, 0, 3)),
            (-1, -3): ((1, 1, 1), (2, 2, 2)),
            (-1, -1): ((1, 4, 1), (1, 6, 1)),
        },
        [(9, 4, 10), (12, 11, 12), (0, 1, 0), (-4, 0, -10), (17, 16, 12)],
    ),
    "temples-4p-1": (
        {
            (2, -2): ((1, 1, 3, 3), (0, 0, 3, 3)),
            (3, -3): ((2, 3, 0, 2), (1, 6, 0, 1)),
            (4, 0): ((2, 2, 0, 1), (3, 3, 0, 0)),
            (6, 2): ((1, 1, 1, 2), (1, 1, 1, 6)),
            (7, 1): ((1, 1, 1, 1), (1, 1, 1, 1)),
        },
        [(14, 0, 10, 11), (6, 11, 5, 11), (2, 0, 0, 0), (-4, -4, -10, -10), (18, 7, 5, 12)],
    ),
    "temples-4p-2": (
        {
            (2, 2): ((2, 2, 1, 2), (2, 2, 0, 2)),
            (3, 3): ((1, 1, 1, 1), (1, 1, 1, 1)),
            (4, 2): ((0, 2, 2, 2), (0, 2, 2, 2)),
            (5, 3): ((3, 1, 1, 1), (6, 1, 1, 1)),
            (5, 5): ((1, 0, 1, 1), (2, 0, 2, 2)),
        },
        [(3, 9, 8, 3), (11, 6, 6, 8), (0, 0, 0, 1), (-10, -1, -10, 7), (4, 14, 4, 19)],
    ),
    "temples-4p-3": (
        {
            (-5, -1): ((1, 1, 0, 1), (2, 2, 0, 2)),
            (-4, -2): ((1, 1, 1, 1), (1, 1, 1, 1)),
            (-3, -1): ((3, 3, 3, 3), (1, 1, 1, 1)),
            (-2, 0): ((1, 1, 1, 1), (1, 1, 1, 1)),
            (-1, 1): ((1, 2, 2, 3), (0, 1, 1, 6)),
        },
        [(2, 6, 3, 0), (5, 6, 4, 11), (0, 0, 0, 1), (-4, -4, -1, 2), (3, 8, 6, 14)],
    ),
}
