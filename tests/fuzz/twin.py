"""A slow twin of ``cacao_env.engine.validate``, written from the rules and the table of fields.

It shares no code and no method with it: where the other lays the tiles out again, this one derives
every field from the tiles on the board, as sets, and asks whether each field is the one derived.  It
may accept more (it does not know the order of the tiles), never less than play can make.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

SIZE = 32
WORKERS = ["1111", "2101", "3001", "3100"]
# Variants: 1111, then each other kind turned 0 to 3 quarters clockwise; workers from north clockwise.
VARIANTS = [(0, "1111")] + [
    (kind, WORKERS[kind][4 - turn :] + WORKERS[kind][: 4 - turn])
    for kind in (1, 2, 3)
    for turn in range(4)
]
SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))
SUPPLY = {2: [4, 5, 1, 1], 3: [3, 5, 1, 1], 4: [3, 4, 1, 1]}
# Jungle tiles drawn, by code 1 to 11, the start tiles left out; volcanoes replace the mines.
PILE = {
    2: [3, 2, 1, 3, 1, 1, 1, 2, 1, 4, 0],
    3: [5, 2, 1, 4, 1, 2, 1, 3, 2, 5, 0],
}
TEMPLE, VOLCANO, TURNED = 10, 11, 12
STOCK = {1: ("cacao", 1), 2: ("cacao", 2), 3: ("gold", 2), 4: ("gold", 3), 5: ("gold", 4)} | {
    6: ("gold", 1),
    7: ("gold", 2),
    8: ("water", 1),
    9: ("sun", 1),
    11: ("gold", 2),
    12: ("gold", 2),
}
Cell = tuple[int, int]


class Unsound(Exception):
    """What is wrong."""


def need(holds: bool, what: str) -> None:
    """Raise Unsound unless something holds."""
    if not holds:
        raise Unsound(what)


def why_unsound(record: Any) -> str:
    """What is wrong with a state, or ""."""
    try:
        check({name: record[name].tolist() for name in record.dtype.names})
    except Unsound as error:
        return str(error)
    return ""


def neighbours(cell: Cell) -> list[Cell]:
    """The cells on the four sides, on the torus."""
    return [((cell[0] + dr) % SIZE, (cell[1] + dc) % SIZE) for dr, dc in SIDES]


def check(s: dict[str, Any]) -> None:
    """Raise Unsound for a state that can't be a position of a game."""
    n = s["num_players"]
    need(n in (2, 3, 4), "num_players")
    need(
        s["volcanoes"] in (0, 1) and s["auto"] in (0, 1, 2) and 11 <= s["table_size"] <= 32,
        "options",
    )
    supply, pile = SUPPLY[n], list(PILE[min(n, 3)])
    if s["volcanoes"]:
        pile[10] = pile[5] + pile[6]
        pile[5] = pile[6] = 0
    each, jungle = sum(supply), sum(pile)
    need(s["tiles_each"] == each and s["num_jungle"] == jungle, "sizes of the piles")
    under_way = s["phase"] in (1, 2)
    need(s["phase"] in (0, 1, 2, 3) and 0 <= s["turn"] <= n * each, "phase or turn")
    need((s["phase"] == 3) == (s["turn"] == n * each), "the end")
    need(0 <= s["seat"] < n and 0 <= s["active"] < n, "seats")
    need(s["active"] == s["turn"] % n, "active")
    need(s["phase"] not in (0, 1) or s["seat"] == s["active"], "seat")
    need(0 <= s["ply"] <= 17 * (s["turn"] + 1), "ply")
    check_hands(s, n, supply, each, under_way)
    board = read_board(s, n)
    check_cells(s, board)
    check_display(s, board, pile, jungle)
    check_box(s, board)
    check_last(s, board, n, under_way)
    check_stocks(s, board, n)


def check_hands(s: dict[str, Any], n: int, supply: list[int], each: int, under_way: bool) -> None:
    """Every tile of every player is in the pile, in the hand or on the table."""
    whole = Counter(dict(enumerate(supply)))
    for seat in range(4):
        draws, played = s["worker_draws"][seat], s["played"][seat]
        if seat >= n:
            fields = ("worker_draws", "played", "hand", "unplaced")
            need(not any(any(s[field][seat]) for field in fields), "a seat nobody has")
            fields = ("drawn", "placed", "gold", "cacao", "sun", "water", "temples", "pending")
            need(not any(s[field][seat] for field in fields), "a seat nobody has")
            continue
        need(Counter(draws[:each]) == whole and not any(draws[each:]), "worker_draws")
        turns = s["turn"] // n + (seat < s["turn"] % n)
        placed = turns + (under_way and seat == s["active"])
        need(s["placed"][seat] == placed, "placed")
        need(s["drawn"][seat] == min(each, 3 + turns), "drawn")
        need(not any(played[placed:]), "played")
        out = Counter(played[:placed])
        for number in range(placed):
            there = Counter(draws[: min(each, 3 + number)]) - Counter(played[:number])
            need(there[played[number]] > 0, "a tile that was not in the hand was played")
        hand = Counter(draws[: s["drawn"][seat]])
        hand.subtract(out)
        need(s["hand"][seat] == [hand[kind] for kind in range(4)], "hand")
        need(s["unplaced"][seat] == [supply[kind] - out[kind] for kind in range(4)], "unplaced")


def read_board(s: dict[str, Any], n: int) -> dict[Cell, tuple[int, int, bool]]:
    """Read the tiles: (-1, code, False), or (seat, variant, whether another tile lies below)."""
    need(len(s["board"]) == SIZE * SIZE, "board")
    tiles = {}
    for number, code in enumerate(s["board"]):
        cell = divmod(number, SIZE)
        if code <= 0:
            continue
        if sum(cell) % 2 == 0:
            need(code <= TURNED, "a jungle tile")
            tiles[cell] = (-1, code, False)
        else:
            seat, variant = divmod(code % 64 - 1, 13)
            need(code < 128 and code % 64 and 0 <= seat < n, "a worker tile")
            tiles[cell] = (seat, variant, code >= 64)
    return tiles


def check_cells(s: dict[str, Any], tiles: dict[Cell, tuple[int, int, bool]]) -> None:
    """Lists of cells, numbers of empty cells, and who touches whom."""
    jungle = [divmod(cell, SIZE) for cell in listed(s, "jungle_cells", "jungle_count")]
    worker = [divmod(cell, SIZE) for cell in listed(s, "worker_cells", "worker_count")]
    temple = [divmod(cell, SIZE) for cell in listed(s, "temple_cells", "temple_count")]
    need(sorted(jungle) == sorted(c for c, tile in tiles.items() if tile[0] < 0), "jungle_cells")
    need(sorted(worker) == sorted(c for c, tile in tiles.items() if tile[0] >= 0), "worker_cells")
    need(temple == [c for c in jungle if tiles[c][1] == TEMPLE], "temple_cells")
    need(jungle[:2] == [(0, 0), (1, 1)], "the start tiles")
    need(tiles[0, 0][1] == 1 and tiles[1, 1][1] == 3, "the start tiles")
    need(0 <= s["open_count"] <= len(s["open_cells"]), "open_count")
    opened = s["open_cells"][: s["open_count"]]
    beside_jungle = {c for one in jungle for c in neighbours(one)} - set(worker)
    need(sorted(opened) == sorted(r * SIZE + c for r, c in beside_jungle), "open_cells")
    for number, code in enumerate(s["board"]):
        cell = divmod(number, SIZE)
        if cell in tiles:
            continue
        if sum(cell) % 2:
            right = -1 - opened.index(number) if cell in beside_jungle else 0
        else:
            right = -sum(one in tiles for one in neighbours(cell))
        need(code == right, "the number of an empty cell")
    for cell in worker:
        need(any(one in tiles for one in neighbours(cell)), "a worker tile alone")
    for cell in jungle[2:]:
        need(sum(one in tiles for one in neighbours(cell)) >= 2, "a jungle tile alone")
    seen, found = {(0, 0), (1, 1)}, [(0, 0), (1, 1)]
    while found:
        for one in neighbours(found.pop()):
            if one in tiles and one not in seen:
                seen.add(one)
                found.append(one)
    need(len(seen) == len(tiles), "the table is in pieces")
    for place, cell in enumerate(worker):
        need((s["under"][place] > 0) == tiles[cell][2] and 0 <= s["under"][place] <= 13, "under")
    need(not any(s["under"][len(worker) :]), "under")


def listed(s: dict[str, Any], cells: str, count: str) -> list[int]:
    """The cells of a list, each once."""
    need(0 <= s[count] <= len(s[cells]), count)
    found = s[cells][: s[count]]
    need(not any(s[cells][s[count] :]), cells)
    need(len(set(found)) == len(found) and all(0 <= c < SIZE * SIZE for c in found), cells)
    return list(found)


def check_display(s: dict[str, Any], tiles: Any, pile: list[int], jungle: int) -> None:
    """Every jungle tile is in the pile, in the display or on the table."""
    draws, drawn = s["jungle_draws"], s["jungle_drawn"]
    need([draws[:jungle].count(code) for code in range(1, 12)] == pile, "jungle_draws")
    need(not any(draws[jungle:]) and 2 <= drawn <= jungle, "jungle_drawn")
    need(s["jungle_pile"] == [draws[drawn:jungle].count(code) for code in range(12)], "jungle_pile")
    out = Counter(min(code, VOLCANO) for seat, code, _ in tiles.values() if seat < 0)
    out.subtract([1, 3])
    out.update(code for code in s["display"] if code)
    need(all(0 <= code <= 11 for code in s["display"]), "display")
    need({k: v for k, v in out.items() if v} == Counter(draws[:drawn]), "display and table")
    left = jungle - drawn + sum(code > 0 for code in s["display"])
    if s["phase"] in (0, 3):
        need(jungle == drawn or all(s["display"]), "the display was not refilled")
    ends = s["turn"] == s["num_players"] * s["tiles_each"]
    need(s["overbuilding"] in (0, 1), "overbuilding")
    need(not (s["overbuilding"] and left), "overbuilding with tiles left")
    need(s["phase"] != 0 or left or s["overbuilding"] == 1 or ends, "overbuilding")
    refilled = s["refilled"]
    need(0 <= refilled <= 3 and not (s["phase"] in (1, 2) and refilled), "refilled")
    need(all(s["display"][slot] for slot in (0, 1) if refilled >> slot & 1), "refilled")
    waiting = [c for c in range(1024) if sum(divmod(c, SIZE)) % 2 == 0 and s["board"][c] <= -2]
    if waiting and left:
        need(s["phase"] == 1, "cells that had to be filled are empty")


def check_box(s: dict[str, Any], tiles: Any) -> None:
    """Absolute places, found from the start tiles outwards, within the window."""
    where = {(0, 0): (0, 0), (1, 1): (1, 1)}
    found = list(where)
    while found:
        cell = found.pop()
        for (dr, dc), one in zip(SIDES, neighbours(cell), strict=True):
            place = where[cell][0] + dr, where[cell][1] + dc
            if one in tiles and one not in where:
                where[one] = place
                found.append(one)
            need(one not in tiles or where[one] == place, "the table runs around the torus")
    rows, columns = zip(*(where[c] for c, tile in tiles.items() if tile[0] < 0), strict=True)
    box = [min(rows), max(rows), min(columns), max(columns)]
    need(box == [s[k] for k in ("row_min", "row_max", "column_min", "column_max")], "bounding box")
    size = s["table_size"]
    row, column = s["corner_row"], s["corner_column"]
    need((row + column) % 2 == 0, "the corner's colour")
    need(row < box[0] and box[1] < row + size - 1, "a row outside of the window")
    need(column < box[2] and box[3] < column + size - 1, "a column outside of the window")
    slack = [size - (box[1] - box[0] + 1), size - (box[3] - box[2] + 1)]
    away = [abs(box[0] - row - slack[0] / 2), abs(box[2] - column - slack[1] / 2)]
    need(max(away) <= 1 and sum(away) <= 1.5, "the window is not centred")


def check_last(s: dict[str, Any], tiles: Any, n: int, under_way: bool) -> None:
    """The tile placed last, and what its turn still asks for."""
    total = s["turn"] + under_way
    need((s["last"] == -1) == (total == 0), "last")
    owners = Counter(tile[0] for tile in tiles.values())
    covered = Counter(tile[0] for tile in tiles.values() if tile[2])
    for seat in range(n):
        need(owners[seat] + covered[seat] == s["placed"][seat], "tiles on the table")
        kinds = Counter(VARIANTS[tile[1]][0] for tile in tiles.values() if tile[0] == seat)
        for place, under in enumerate(s["under"]):
            if under and tiles[divmod(s["worker_cells"][place], SIZE)][0] == seat:
                kinds[VARIANTS[under - 1][0]] += 1
        need(kinds == Counter(s["played"][seat][: s["placed"][seat]]), "kinds on the table")
    need(not covered.total() or s["overbuilding"] or s["phase"] == 3, "overbuilt too early")
    if total == 0:
        need(not (s["to_fill"] or s["filled"] or any(s["pending"])), "a turn that has not begun")
        return
    need(0 <= s["last"] < 1024, "last")
    last = divmod(s["last"], SIZE)
    need(last in tiles and sum(last) % 2 == 1, "last")
    seat, variant, over = tiles[last]
    need(seat == (total - 1) % n, "the owner of the last tile")
    need(VARIANTS[variant][0] == s["played"][seat][s["placed"][seat] - 1], "the last tile's kind")
    need(over or s["worker_cells"][s["worker_count"] - 1] == s["last"], "the last of worker_cells")
    beside = neighbours(last)
    to_fill = sum(1 << i for i, one in enumerate(beside) if s["board"][one[0] * 32 + one[1]] <= -2)
    need(s["to_fill"] == (to_fill if s["phase"] == 1 else 0), "to_fill")
    need(s["phase"] != 1 or (to_fill and any(s["display"]) and not over), "nothing to fill")
    filled = [i for i in range(4) if s["filled"] >> i & 1]
    need(0 <= s["filled"] < 16 and (under_way or not filled), "filled")
    jungle = s["jungle_cells"][: s["jungle_count"]]
    late = {divmod(cell, SIZE) for cell in jungle[len(jungle) - len(filled) :]}
    need({beside[i] for i in filled} == (late if filled else set()), "filled")
    activated: dict[int, int] = Counter()
    for side, one in enumerate(beside):
        if one not in tiles or tiles[one][1] == TEMPLE:
            continue
        for facing, other in enumerate(neighbours(one)):
            if other in tiles and (other == last or side in filled):
                owner, worker, _ = tiles[other]
                if VARIANTS[worker][1][(facing + 2) % 4] != "0":
                    activated[owner] |= 1 << (4 * side + facing)
    order = [(s["active"] + i) % n for i in range(n)]
    pending = [s["pending"][one] for one in order]
    if s["phase"] != 2:
        need(not any(pending), "pending")
        return
    first = next((i for i, bits in enumerate(pending) if bits), None)
    need(first is not None and s["seat"] == order[first or 0], "the seat to act")
    for place, one in enumerate(order):
        need(pending[place] & ~activated[one] == 0, "an edge that is not activated")
        need(place <= (first or 0) or pending[place] == activated[one], "an edge acted too early")


def check_stocks(s: dict[str, Any], tiles: Any, n: int) -> None:
    """Stocks within their places, and none without a worker that could have taken it."""
    workers: dict[Cell, Counter[int]] = {}
    gain = [Counter[str]() for _ in range(n)]
    stacks = [(divmod(s["worker_cells"][i], SIZE), i) for i in range(s["worker_count"])]
    for cell, place in stacks:
        seat, variant, over = tiles[cell]
        layers = [variant] + ([s["under"][place] - 1] if over else [])
        for side, one in enumerate(neighbours(cell)):
            if one not in tiles:
                continue
            code = tiles[one][1]
            if code == TEMPLE:
                count = int(VARIANTS[variant][1][side])
                workers.setdefault(one, Counter())[seat] += count
                continue
            what, value = STOCK[code]
            if code in (VOLCANO, TURNED) and (side % 2 == 1) != (code == VOLCANO):
                continue  # this side takes gold
            gain[seat][what] += value * sum(int(VARIANTS[layer][1][side]) for layer in layers)
        gain[seat]["sun"] -= over
    prizes = [0] * n
    for counts in workers.values():
        ranked = sorted({count for count in counts.values() if count}, reverse=True)
        for place, prize in zip(ranked[:2], (6, 3)):
            level = [seat for seat, count in counts.items() if count == place]
            if prize == 3 and list(counts.values()).count(ranked[0]) > 1:
                break
            for seat in level:
                prizes[seat] += prize // len(level)
    for seat in range(n):
        need(s["temples"][seat] == prizes[seat], "temples")
        for what, most in (("gold", 10**9), ("cacao", 5), ("sun", 3), ("water", 8)):
            need(0 <= s[what][seat] <= min(most, gain[seat][what]), what)
