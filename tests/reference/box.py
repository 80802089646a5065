"""What is in the box, how it is dealt, and how cells, edges and turned tiles relate."""

from __future__ import annotations

import random
from collections import Counter

Cell = tuple[int, int]

# Edges are numbered clockwise from north: 0 north, 1 east, 2 south, 3 west.
STEPS = [(-1, 0), (0, 1), (1, 0), (0, -1)]

WATER_TRACK = [-10, -4, -1, 0, 2, 4, 7, 11, 16]
MAX_CACAO = 5
MAX_SUN = 3
HAND_SIZE = 3
DISPLAY_SIZE = 2

ROTATIONS = {"1111": [0], "2101": [0, 1, 2, 3], "3001": [0, 1, 2, 3], "3100": [0, 1, 2, 3]}
PLANTATION = {"plantation1": 1, "plantation2": 2}
MARKET = {"market2": 2, "market3": 3, "market4": 4}
MINE = {"mine1": 1, "mine2": 2}


def worker_supply(num_players: int) -> Counter[str]:
    tiles = Counter({"1111": 4, "2101": 5, "3001": 1, "3100": 1})
    if num_players == 3:
        tiles["1111"] -= 1
    if num_players == 4:
        tiles["1111"] -= 1
        tiles["2101"] -= 1
    return tiles


def jungle_supply(num_players: int, volcanoes: bool) -> Counter[str]:
    """The jungle tiles that are drawn, so without the two start tiles."""
    tiles = Counter(
        {
            "plantation1": 6 - 1,
            "plantation2": 2,
            "market2": 2 - 1,
            "market3": 4,
            "market4": 1,
            "mine1": 2,
            "mine2": 1,
            "water": 3,
            "sun": 2,
            "temple": 5,
        }
    )
    if num_players == 2:
        tiles["plantation1"] -= 2
        for kind in ["market3", "mine1", "water", "sun", "temple"]:
            tiles[kind] -= 1
    if volcanoes:
        tiles["volcano"] = 2 if num_players == 2 else 3
        del tiles["mine1"]
        del tiles["mine2"]
    return tiles


def deal(
    num_players: int, volcanoes: bool, rng: random.Random
) -> tuple[list[list[str]], list[str]]:
    """Shuffle the box: all drawing orders (workers of every player, jungle)."""
    worker_draws = []
    for _ in range(num_players):
        tiles = sorted(worker_supply(num_players).elements())
        rng.shuffle(tiles)
        worker_draws.append(tiles)
    jungle_draws = sorted(jungle_supply(num_players, volcanoes).elements())
    rng.shuffle(jungle_draws)
    return worker_draws, jungle_draws


def beside(cell: Cell, edge: int) -> Cell:
    return (cell[0] + STEPS[edge][0], cell[1] + STEPS[edge][1])


def opposite(edge: int) -> int:
    """The edge by which the neighbour across this edge touches back."""
    return (edge + 2) % 4


def workers_on_edge(tile: str, rotation: int, edge: int) -> int:
    """Workers on an edge after the tile was turned clockwise by that many quarter turns."""
    return int(tile[(edge - rotation) % 4])


def check_supply(
    num_players: int, volcanoes: bool, worker_draws: list[list[str]], jungle_draws: list[str]
) -> None:
    """Raise ValueError unless these are exactly the tiles of the box."""
    if type(num_players) is not int or num_players not in (2, 3, 4) or type(volcanoes) is not bool:
        raise ValueError(f"There is no box for {num_players!r} players, volcanoes {volcanoes!r}.")
    if [Counter(tiles) for tiles in worker_draws] != [worker_supply(num_players)] * num_players:
        raise ValueError("The worker draws are not the tiles of the box.")
    if Counter(jungle_draws) != jungle_supply(num_players, volcanoes):
        raise ValueError("The jungle draws are not the tiles of the box.")
