"""The rules of Cacao, written as plainly as possible, to test a faster engine against.

First what is in the box, and how cells, edges and turned tiles relate; then one game.  Everything is a
dict keyed by absolute (row, column), a list or a string. Nothing is cached:
every question is answered by looking at the whole table again. Each elementary decision is asked,
also one with a single legal move. Marks such as [R2] name the rulings of the rules page.
"""

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


class Oracle:
    """One game, from the deal to the end."""

    def __init__(
        self,
        num_players: int,
        volcanoes: bool,
        worker_draws: list[list[str]],
        jungle_draws: list[str],
    ) -> None:
        check_supply(num_players, volcanoes, worker_draws, jungle_draws)
        self.num_players = num_players
        self.workers: dict[Cell, tuple] = {}  # cell: (owner, tile, rotation, under)
        self.jungle: dict[Cell, tuple[str, int]] = {
            (0, 0): ("plantation1", 0),
            (1, 1): ("market2", 0),
        }
        self.hands = [list(tiles[:HAND_SIZE]) for tiles in worker_draws]
        self.piles = [list(tiles[HAND_SIZE:]) for tiles in worker_draws]
        self.display = list(jungle_draws[:DISPLAY_SIZE])
        self.jungle_pile = list(jungle_draws[DISPLAY_SIZE:])
        self.gold = [0] * num_players
        self.cacao = [0] * num_players
        self.sun = [0] * num_players
        self.water_step = [0] * num_players  # index into WATER_TRACK
        self.turn = 0
        self.phase = "place"  # place, fill, act or over
        self.placed_cell: Cell | None = None  # where the active player put a tile this turn
        self.filled_cells: list[Cell] = []  # jungle cells filled this turn
        self.pending: list[tuple[int, Cell, int, int]] = []  # (owner, cell, edge, workers)

    # What the game looks like.

    @property
    def active_player(self) -> int:
        return self.turn % self.num_players

    @property
    def player(self) -> int | None:
        if self.phase == "over":
            return None
        if self.phase in ("place", "fill"):
            return self.active_player
        # [R3] the active player's edges first, then those of the others clockwise.
        for i in range(self.num_players):
            seat = (self.active_player + i) % self.num_players
            if any(owner == seat for owner, _, _, _ in self.pending):
                return seat
        raise AssertionError("the phase is act, yet no edge is left to act")

    def cells_to_fill(self) -> list[Cell]:
        """All empty jungle cells on the table that have at least two worker tiles around them."""
        around = Counter(beside(cell, edge) for cell in self.workers for edge in range(4))
        return sorted(c for c in around if around[c] >= 2 and c not in self.jungle)

    def free_worker_cells(self) -> list[Cell]:
        """All empty worker cells that touch a jungle tile."""
        cells = {beside(cell, edge) for cell in self.jungle for edge in range(4)}
        return sorted(cells - set(self.workers))

    def may_overbuild(self) -> bool:
        """Whether overbuilding is open to the active player. Only asked when a turn starts."""
        return not self.jungle_pile and not self.display and self.sun[self.active_player] > 0

    def overbuildable_cells(self) -> list[Cell]:
        """Own worker tiles that have not been overbuilt yet [R4]."""
        return [
            cell
            for cell, (owner, _, _, under) in sorted(self.workers.items())
            if owner == self.active_player and under is None
        ]

    def position(self) -> dict:
        """Everything there is to know, hidden tiles included."""
        return {
            "player": self.player,
            "phase": self.phase,
            "turn": self.turn,
            "workers": dict(self.workers),
            "jungle": dict(self.jungle),
            "hands": [sorted(hand) for hand in self.hands],
            "piles": [list(pile) for pile in self.piles],
            "display": sorted(self.display),
            "jungle_pile": list(self.jungle_pile),
            "gold": list(self.gold),
            "cacao": list(self.cacao),
            "sun": list(self.sun),
            "water": [WATER_TRACK[step] for step in self.water_step],
            "to_fill": self.cells_to_fill() if self.phase == "fill" else [],
            "pending": sorted(self.pending),
        }

    # Legal moves.

    def legal_moves(self) -> list[tuple]:
        if self.phase == "place":
            return self._placements()
        if self.phase == "fill":
            return self._fills()
        if self.phase == "act":
            return self._acts()
        return []

    def _placements(self) -> list[tuple]:
        cells = [("place", cell) for cell in self.free_worker_cells()]
        if self.may_overbuild():
            cells += [("overbuild", cell) for cell in self.overbuildable_cells()]
        return [
            (what, tile, rotation, cell)
            for tile in sorted(set(self.hands[self.active_player]))
            for rotation in ROTATIONS[tile]
            for what, cell in cells
        ]

    def _fills(self) -> list[tuple]:
        return [
            ("fill", kind, orientation, cell)
            for kind in sorted(set(self.display))
            for orientation in ([0, 1] if kind == "volcano" else [0])  # [R5]
            for cell in self.cells_to_fill()
        ]

    def _acts(self) -> list[tuple]:
        moves = []
        for owner, cell, edge, workers in sorted(self.pending):
            if owner == self.player:
                forced = self._faced_kind(cell, edge) == "volcano"  # never forgone
                moves += [("act", cell, edge, n) for n in range(workers * forced, workers + 1)]
        return moves

    def _faced_kind(self, cell: Cell, edge: int) -> str:
        return self.jungle[beside(cell, edge)][0]

    # Making a move.

    def play(self, move: tuple) -> None:
        if move not in self.legal_moves():
            raise ValueError(f"Move {move!r} is illegal.")
        if move[0] in ("place", "overbuild"):
            self._place(move[1], move[2], move[3])
        elif move[0] == "fill":
            self._fill(move[1], move[2], move[3])
        else:
            self._act(move[1], move[2], move[3])

    def _place(self, tile: str, rotation: int, cell: Cell) -> None:
        under = None
        if cell in self.workers:  # overbuilding costs a token
            self.sun[self.active_player] -= 1
            under = self.workers[cell][1:3]
        self.hands[self.active_player].remove(tile)
        self.workers[cell] = (self.active_player, tile, rotation, under)
        self.placed_cell = cell
        self._fill_or_act()

    def _fill(self, kind: str, orientation: int, cell: Cell) -> None:
        self.display.remove(kind)
        self.jungle[cell] = (kind, orientation)
        self.filled_cells.append(cell)
        self._fill_or_act()

    def _fill_or_act(self) -> None:
        """Go on with filling if a cell and a tile for it are left, else with the actions."""
        if self.cells_to_fill() and not self.display and self.jungle_pile:
            self.display.append(self.jungle_pile.pop(0))  # the tile for a third cell
        if self.cells_to_fill() and self.display:
            self.phase = "fill"
            return
        # [R2] cells for which no tile is left stay empty.
        self._find_activated_edges()
        self._act_or_end_turn()

    def _find_activated_edges(self) -> None:
        activated = set()
        for edge in range(4):
            if beside(self.placed_cell, edge) in self.jungle:
                activated.add((self.placed_cell, edge))
        for jungle_cell in self.filled_cells:
            for edge in range(4):
                worker_cell = beside(jungle_cell, edge)
                if worker_cell in self.workers:
                    activated.add((worker_cell, opposite(edge)))
        self.pending = []
        for cell, edge in sorted(activated):
            owner, tile, rotation, _ = self.workers[cell]
            workers = workers_on_edge(tile, rotation, edge)
            if workers > 0 and self._faced_kind(cell, edge) != "temple":
                self.pending.append((owner, cell, edge, workers))

    def _act(self, cell: Cell, edge: int, count: int) -> None:
        for entry in list(self.pending):
            if entry[1] == cell and entry[2] == edge:
                self.pending.remove(entry)
                for _ in range(count):
                    self._one_worker_acts(entry[0], cell, edge)
        self._act_or_end_turn()

    def _one_worker_acts(self, owner: int, cell: Cell, edge: int) -> None:
        kind, orientation = self.jungle[beside(cell, edge)]
        if kind in PLANTATION:
            self.cacao[owner] = min(MAX_CACAO, self.cacao[owner] + PLANTATION[kind])
        elif kind in MARKET:
            if self.cacao[owner] > 0:
                self.cacao[owner] -= 1
                self.gold[owner] += MARKET[kind]
        elif kind in MINE:
            self.gold[owner] += MINE[kind]
        elif kind == "water":
            self.water_step[owner] = min(len(WATER_TRACK) - 1, self.water_step[owner] + 1)
        elif kind == "sun":
            self.sun[owner] = min(MAX_SUN, self.sun[owner] + 1)
        elif kind == "volcano":
            side = opposite(edge)  # the volcano's own edge
            plus_two_sides = [1, 3] if orientation == 0 else [0, 2]
            if side in plus_two_sides:
                self.gold[owner] += 2
            else:
                self.gold[owner] = max(0, self.gold[owner] - 1)  # [R6]

    def _act_or_end_turn(self) -> None:
        if self.pending:
            self.phase = "act"
            return
        seat = self.active_player
        if self.piles[seat]:
            self.hands[seat].append(self.piles[seat].pop(0))
        while len(self.display) < DISPLAY_SIZE and self.jungle_pile:
            self.display.append(self.jungle_pile.pop(0))
        self.placed_cell = None
        self.filled_cells = []
        self.turn += 1
        if any(self.hands):
            self.phase = "place"
        else:
            self.phase = "over"

    # The end.

    def temple_gold(self) -> list[int]:
        """What the temples pay to each player, as the table lies."""
        gold = [0] * self.num_players
        for temple_cell, (kind, _) in self.jungle.items():
            if kind != "temple":
                continue
            present = [0] * self.num_players
            for edge in range(4):
                cell = beside(temple_cell, edge)
                if cell in self.workers:
                    owner, tile, rotation, _ = self.workers[cell]
                    present[owner] += workers_on_edge(tile, rotation, opposite(edge))
            amounts = sorted({n for n in present if n > 0}, reverse=True)
            if len(amounts) >= 1:
                first = [seat for seat in range(self.num_players) if present[seat] == amounts[0]]
                for seat in first:
                    gold[seat] += 6 // len(first)
                if len(first) == 1 and len(amounts) >= 2:
                    second = [s for s in range(self.num_players) if present[s] == amounts[1]]
                    for seat in second:
                        gold[seat] += 3 // len(second)
        return gold

    def scores_if_ended_now(self) -> dict:
        temples = self.temple_gold()
        water = [WATER_TRACK[step] for step in self.water_step]
        seats = range(self.num_players)
        scores = [self.gold[s] + temples[s] + self.sun[s] + water[s] for s in seats]
        best = max((scores[s], self.cacao[s]) for s in seats)
        return {
            "scores": scores,
            "winners": [s for s in seats if (scores[s], self.cacao[s]) == best],
            "gold": list(self.gold),
            "temples": temples,
            "cacao": list(self.cacao),
            "sun": list(self.sun),
            "water": water,
        }

    def result(self) -> dict:
        if self.phase != "over":
            raise ValueError("The game is not over, so there is no result yet.")
        return self.scores_if_ended_now()
