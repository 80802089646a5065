"""Mutated saved games: whatever is accepted is a game of the reference too."""

from functools import cache

import numpy as np

from cacao_env import Game
from cacao_env.envs.vector import VectorGames
from cacao_env.record import record_of
from tests.fuzz.attack import Budget, Summary, attempt
from tests.reference.records import check_record

GAMES = 3
OPTIONS = [
    {"num_players": players, "volcanoes": volcanoes, "decisions": decisions, "table_size": size}
    for players, volcanoes, decisions, size in (
        (2, False, "auto", None),
        (3, True, "explicit", 12),
        (4, True, "auto", 15),
        (2, True, "turn", 11),
    )
]
Arrays = dict[str, np.ndarray]


@cache
def batches() -> list[VectorGames]:
    """One batch for each of the options, part of the way through its games."""
    found = []
    for number, options in enumerate(OPTIONS):
        games = VectorGames(GAMES, seed=number, **options)
        for _ in range(30 + 10 * number):
            games.step(games.sample())
        found.append(games)
    return found


def mutated(arrays: Arrays, rng: np.random.Generator) -> Arrays:
    """A copy with one to three changed numbers, or with an array of another form."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    for _ in range(1 + int(rng.integers(3))):
        name = str(rng.choice(list(arrays)))
        array = arrays[name]
        kind = rng.integers(8)
        if kind == 0:
            arrays[name] = [array[:1], array.astype(np.float64), array[..., None]][rng.integers(3)]
        elif kind == 1:
            array.view(np.uint8).reshape(-1)[rng.integers(array.nbytes)] ^= 1 << rng.integers(8)
        elif array.dtype.kind in "iu":
            values = array.reshape(-1)
            place, other = rng.integers(len(values), size=2)
            limits = np.iinfo(array.dtype)
            choices = (values[other], limits.min, limits.max, values[place] ^ 1, 0, 1)
            values[place] = choices[rng.integers(len(choices))]
    return arrays


def attack(budget: Budget) -> Summary:
    """Mutate saved games, restore them and play what was accepted to its end."""
    rng, summary = budget.rng(), Summary()
    saved = [games.arrays() for games in batches()]
    for number in budget:
        which = number % len(saved)
        games = batches()[which]
        before = games.states.tobytes()
        arrays = mutated(saved[which], rng)
        if attempt(summary, number, lambda: games.restore(arrays) or True) is None:  # noqa: B023
            if games.states.tobytes() != before:
                summary.faults.append(f"try {number}: refused, and yet something changed")
            continue
        if fault := play_on(games.game(int(rng.integers(GAMES))), rng):
            summary.faults.append(f"try {number}: {fault}")
        games.restore(saved[which])
    return summary


def play_on(game: Game, rng: np.random.Generator) -> str:
    """Play a game to its end with random legal actions; say what the reference has against it."""
    while not game.over:
        legal = game.legal_actions()
        if not len(legal) or game.action_mask().sum() != len(legal):
            return "no legal actions, or others than in the mask"
        game.play(int(rng.choice(legal)))
    try:
        check_record(record_of(game))
    except Exception as error:
        return f"the reference refuses it: {error}"
    return ""
