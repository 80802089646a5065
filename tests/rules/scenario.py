"""Words for scripted games: deals, moves in notation, whole turns, and simple policies.

Nothing here knows an implementation. The tiles are those of the reference's box. A "game" is anything
with the small interface that the fixture ``table`` makes: ``player``, ``phase``, ``turn``,
``legal_moves``, ``play``, ``position``.
"""

import random

from tests.reference.oracle import ROTATIONS, STEPS, jungle_supply, worker_supply, workers_on_edge

NORTH, EAST, SOUTH, WEST = range(4)
START = {(0, 0): ("plantation1", 0), (1, 1): ("market2", 0)}
TURNS = {2: 22, 3: 30, 4: 36}


def complete(chosen, supply):
    """A full drawing order: the chosen tiles first, then what the supply still holds."""
    rest = supply.copy()
    rest.subtract(chosen)
    short = sorted(tile for tile, count in rest.items() if count < 0)
    assert not short, f"the script asks for more tiles than there are: {short}"
    return list(chosen) + sorted(rest.elements())


def deal(num_players, workers=(), jungle=(), volcanoes=False):
    """The four arguments of a table; ``workers`` lists the first tiles of each seat in turn."""
    chosen = list(workers) + [()] * (num_players - len(workers))
    draws = [complete(tiles, worker_supply(num_players)) for tiles in chosen]
    return num_players, volcanoes, draws, complete(jungle, jungle_supply(num_players, volcanoes))


def shuffled_deal(num_players, seed, volcanoes=False):
    """A full deal in an order that the seed decides."""
    _, _, draws, jungle = deal(num_players, volcanoes=volcanoes)
    chance = random.Random(seed)
    for pile in [*draws, jungle]:
        chance.shuffle(pile)
    return num_players, volcanoes, draws, jungle


def start(table, num_players, workers=(), jungle=(), volcanoes=False):
    """A fresh game whose piles begin with the chosen tiles."""
    return table(*deal(num_players, workers, jungle, volcanoes))


# --- geometry -----------------------------------------------------------------------------


def beside(cell):
    return [(cell[0] + down, cell[1] + right) for down, right in STEPS]


def edges(tile, rotation):
    """The workers of a turned tile: north, east, south, west."""
    return [workers_on_edge(tile, rotation, edge) for edge in range(4)]


def turned(tile, edge, workers):
    """A rotation that puts an edge with that many workers on that side."""
    return next(n for n in ROTATIONS[tile] if workers_on_edge(tile, n, edge) == workers)


def open_cells(position):
    """Every empty worker cell with a jungle tile on a side."""
    around = {near for cell in position["jungle"] for near in beside(cell)}
    return sorted(around - set(position["workers"]))


def would_fill(position, cell):
    """The jungle cells that have two or more worker tiles once one lies on ``cell``."""
    workers = {*position["workers"], cell}
    near = (one for one in beside(cell) if one not in position["jungle"])
    return sorted(one for one in near if len(workers & {*beside(one)}) > 1)


# --- moves --------------------------------------------------------------------------------


def offered(game, kind):
    return sorted(move for move in game.legal_moves() if move[0] == kind)


def refuses(game, move):
    """Whether a move is answered with ValueError and leaves everything as it was."""
    before = game.position()
    moves = sorted(game.legal_moves())
    try:
        game.play(move)
    except ValueError:
        return game.position() == before and sorted(game.legal_moves()) == moves
    return False


def place(game, tile, cell, rotation=0):
    game.play(("place", tile, rotation, cell))


def fill(game, kind, cell, orientation=0):
    game.play(("fill", kind, orientation, cell))


def act(game, cell, edge, workers):
    game.play(("act", cell, edge, workers))


def play_forced(game):
    """Make every act move of this turn, with as few workers as may be."""
    while game.phase == "act":
        game.play(min(game.legal_moves()))


def turn(game, tile, cell, rotation=0, fills=()):
    """A whole turn: the placement, exactly these fills, then every action with few workers."""
    number = game.turn
    place(game, tile, cell, rotation)
    for kind, where in fills:
        fill(game, kind, where)
    assert game.phase != "fill", f"the script leaves {game.position()['to_fill']} unfilled"
    if game.turn == number:
        play_forced(game)
    assert game.turn == number + 1


def lay(game, cells):
    """Whole turns on these cells with whatever is at hand; every action is forgone."""
    for cell in cells:
        number = game.turn
        place(game, game.position()["hands"][game.player][0], cell)
        while game.phase == "fill":
            game.play(min(game.legal_moves()))
        if game.turn == number:
            play_forced(game)


# --- the hub ------------------------------------------------------------------------------

# The hub is cell (0, 2). The first player's tile on (0, 1) faces it with its east edge, the
# second player's tile on (1, 2) with its north edge; the second one makes it be filled.
HUB = (0, 2)
HUB_SIDES = [((0, 1), EAST), ((1, 2), NORTH), ((0, 3), WEST), ((-1, 2), SOUTH)]
TILE = {0: "2101", 1: "1111", 2: "2101", 3: "3001"}


def hub(table, kind, first, second, more=("water",), volcanoes=False):
    """A game of two in step C of the second turn, the hub just filled with ``kind``.

    ``first`` and ``second`` are the numbers of workers that face the hub.
    """
    hands = [[TILE[first], "3100", "1111"], [TILE[second], "2101", "1111"]]
    game = start(table, 2, hands, [kind, *more], volcanoes)
    turn(game, TILE[first], (0, 1), turned(TILE[first], EAST, first))
    place(game, TILE[second], (1, 2), turned(TILE[second], NORTH, second))
    fill(game, kind, HUB)
    return game


def fill_hub(game, kind):
    """Make every fill of this turn, the hub with ``kind`` as soon as that is possible."""
    while game.phase == "fill":
        wanted = ("fill", kind, 0, HUB)
        game.play(wanted if wanted in game.legal_moves() else min(game.legal_moves()))


def holdings(game, player):
    position = game.position()
    return tuple(position[field][player] for field in ("gold", "cacao", "sun", "water"))


# --- the ring -----------------------------------------------------------------------------

# Ten tiles in a ring, open at (-1, 2). A tile there touches one jungle tile, at (-2, 2), and
# fills the three other cells around it at once: no shorter game gets there.
RING = [(-1, 0), (0, -1), (-2, -1), (-3, 0), (-4, -1), (-4, 1), (-3, 2), (-4, 3), (-2, 3), (1, 2)]
RING_LAST, RING_CELLS = (-1, 2), [(-1, 1), (-1, 3), (0, 2)]


# --- policies -----------------------------------------------------------------------------


def play_out(game, chooser, until=None):
    """Let ``chooser(game, sorted legal moves)`` play until the end, or until a test holds."""
    while game.phase != "over" and not (until and until(game)):
        game.play(chooser(game, sorted(game.legal_moves())))


def at_random(seed):
    chance = random.Random(seed)
    return lambda game, moves: chance.choice(moves)


def busy(game, moves):
    """A policy that lets all workers act and does the first thing on the list otherwise."""
    if moves[0][0] == "act":
        return [move for move in moves if move[:3] == moves[0][:3]][-1]
    return moves[0]


def by_cell(rank, seldom=()):
    """A policy that places where ``rank(position, cell)`` is lowest; otherwise as ``busy``.

    Tiles named in ``seldom`` stay in hand for as long as there is another.
    """

    def chooser(game, moves):
        places = [move for move in moves if move[0] == "place"]
        if not places:
            return busy(game, moves)
        position = game.position()
        ranks = {move[3]: rank(position, move[3]) for move in places}
        return min(places, key=lambda move: (ranks[move[3]], move[1] in seldom, move))

    return chooser


def left_to_draw(position):
    return len(position["display"]) + len(position["jungle_pile"])


def spend_jungle(game, leave, keep_clear=(), seldom=()):
    """Play until a turn starts with ``leave`` jungle tiles left, away from ``keep_clear``."""

    def rank(position, cell):
        filled = would_fill(position, cell)
        surplus = left_to_draw(position) - leave - len(filled)
        blocked = cell in keep_clear or set(beside(cell)) & set(keep_clear)
        return bool(blocked), surplus < 0, surplus

    def spent(game):
        return game.phase == "place" and left_to_draw(game.position()) == leave

    play_out(game, by_cell(rank, seldom), until=spent)
    assert game.phase == "place", "the script ran out of turns"
