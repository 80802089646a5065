"""Pictures: what a position is drawn from, SVG, pixels, windows, the command."""

import json
import sys
import xml.etree.ElementTree as ET
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from PIL import Image

from cacao_env import Game, cacao_v0
from cacao_env.cli import main
from cacao_env.engine.tiles import JUNGLE_KINDS
from cacao_env.envs.rendering import Renderer
from cacao_env.play.words import frame_of
from cacao_env.render.art import jungle_tile, rect, sign, worker_tile
from cacao_env.render.position import position_of
from cacao_env.render.raster import fitted, image
from cacao_env.render.scene import PANEL_WIDTH, Scene, extent_of, scene_of
from tests.games import played, positions, recorded
from tests.pictures import rules

pytest.importorskip("resvg_py", reason="resvg-py is not installed")

DOCS = Path(__file__).parent.parent / "docs"
greedy = partial(played, style="greedy")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def over() -> Game:
    """A finished 4-player game, in which tiles were overbuilt."""
    return greedy(4, 3, volcanoes=True)


# --- The position ---------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_position_says_what_the_game_says(players):
    game = greedy(players, 1, 25)
    found = json.loads(json.dumps(position_of(game)))
    assert (found["players"], found["seat"], found["phase"]) == (players, game.seat, game.phase)
    assert [seat["score"] for seat in found["seats"]] == game.scores()
    assert sum(found["pile"].values()) == found["pile_size"]
    moves = [move for _, _, move in game.elementary_moves()]
    at = {(tile["row"], tile["column"]): tile for tile in found["tiles"]}
    placed = [move for move in moves if move[0] in ("place", "overbuild")]
    for _, kind, turn, cell in placed:
        tile = at[cell]
        edges = [int(kind[(side - turn) % 4]) for side in range(4)]
        assert tile.get("edges") == edges or any(t["edges"] == edges for t in tile["under"])
    for _, kind, _, cell in (move for move in moves if move[0] == "fill"):
        assert at[cell]["kind"] == kind
    assert [tile for tile in found["tiles"] if tile["last"]] == [at[placed[-1][3]]]
    assert all(found["pile"].values())
    for seat in found["seats"]:
        assert len(seat["hand"]) == seat["held"]
        assert sum(seat["left"].values()) == seat["held"] + seat["pile"]
        assert all(seat["left"].values())


def test_the_tile_of_the_last_placement_is_the_last_one_also_where_it_covers_another(over):
    asked = over.with_options("explicit")
    placed = [move for _, _, move in asked.elementary_moves()]
    for ply, (position, _) in enumerate(asked.plies()):
        cells = [move[3] for move in placed[:ply] if move[0] in ("place", "overbuild")]
        last = [tile for tile in position_of(position)["tiles"] if tile["last"]]
        assert [(tile["row"], tile["column"]) for tile in last] == cells[-1:]


def test_tiles_below_others_are_known(over):
    found = position_of(over)
    moves = [move for _, _, move in over.elementary_moves()]
    overbuilt = {move[3] for move in moves if move[0] == "overbuild"}
    under = {(t["row"], t["column"]): t["under"] for t in found["tiles"] if t.get("under")}
    assert set(under) == overbuilt
    assert overbuilt
    for cell, tiles in under.items():
        below = [move for move in moves if move[0] in ("place", "overbuild") and move[3] == cell]
        kinds = [sorted(map(int, move[1])) for move in below[:-1]]
        assert [sorted(tile["edges"]) for tile in tiles] == kinds


def test_hands_of_others_are_left_out_for_a_viewer():
    game = greedy(3, 2, 9)
    hands = [seat["hand"] for seat in position_of(game, viewer=1)["seats"]]
    assert hands[0] is None
    assert hands[2] is None
    assert len(hands[1]) == 3
    assert scene_of(position_of(game, viewer=1)).svg() != scene_of(position_of(game)).svg()


def test_cells_to_fill_are_those_that_may_be_filled():
    compared = 0
    for seed in range(6):
        start, rng = Game.new(2, seed, decisions="explicit"), np.random.default_rng(seed)
        for game in positions(start, rng):
            cells = position_of(game)["fill"]
            if game.phase == "fill":
                assert {tuple(cell) for cell in cells} == {move[3] for move in game.legal_moves()}
                compared += 1
            else:
                assert cells == []
    assert compared > 50


# --- Drawings -------------------------------------------------------------------------------


def pixels(drawn: str, tile: int = 80) -> np.ndarray:
    return np.asarray(image(Scene(rect(0, 0, 100, 100, 0, 'fill="#FFF"') + drawn, 100, 100), tile))


def test_turned_tiles_have_their_workers_on_the_next_side():
    north, east = (pixels(worker_tile(0, edges, 0, 0)) for edges in ((3, 1, 0, 0), (0, 3, 1, 0)))
    dark = lambda part: (part.astype(int).sum(axis=2) < 380).sum()  # noqa: E731
    assert dark(north[6:20, 14:66]) > 2 * dark(east[6:20, 14:66])
    assert dark(east[14:66, 60:74]) > 2 * dark(north[30:66, 60:74])


def test_every_tile_has_a_face_of_its_own():
    faces = [pixels(jungle_tile(kind, False, 0, 0)) for kind in JUNGLE_KINDS]
    faces.append(pixels(jungle_tile("volcano", True, 0, 0)))
    faces += [pixels(worker_tile(owner, (1, 1, 1, 1), 0, 0)) for owner in range(4)]
    for number, face in enumerate(faces):
        assert face.std() > 20  # there is something to see
        assert all(np.abs(face.astype(int) - other).mean() > 1 for other in faces[:number])


def test_owners_differ_in_shape_not_only_in_colour():
    """Drawn all in one colour, no two owners' signs look alike."""
    found = [pixels(sign(owner, 50, 50, 40)).astype(int).sum(axis=2) < 600 for owner in range(4)]
    for a in range(4):
        for b in range(a):
            assert (found[a] != found[b]).mean() > 0.02


def test_the_rules_are_illustrated():
    """``python -m tests.pictures`` draws them; the page shows the same files."""
    text = (DOCS / "rules.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 1000  # five minutes
    drawn = {name: scene.svg() for name, scene in rules().items()}
    assert {path.stem for path in (DOCS / "pictures" / "rules").glob("*.svg")} == set(drawn)
    for name, picture in drawn.items():
        path = DOCS / "pictures" / "rules" / f"{name}.svg"
        assert path.read_text(encoding="utf-8") == picture, "run python -m tests.pictures"
        assert f"(pictures/rules/{name}.svg)" in text


# --- Pictures -------------------------------------------------------------------------------


def test_an_svg_has_every_tile_in_its_place(over):
    position = position_of(over)
    scene, ((top, _), (left, _)) = scene_of(position), extent_of(position)
    root = ET.fromstring(scene.svg(50))
    assert root.tag == f"{SVG}svg"
    assert float(root.get("width")) == pytest.approx(scene.width / 2, abs=1)
    uses = {(e.get("href"), e.get("x"), e.get("y")) for e in root.iter(f"{SVG}use")}
    places = {e.get("transform") for e in root.iter(f"{SVG}g")}
    for tile in position["tiles"]:
        x = 24 + (tile["column"] - left) * 100
        y = 24 + (tile["row"] - top) * 100
        if "kind" in tile:
            href = f"#j-{tile['kind']}{'-turned' if tile['turned'] else ''}"
            assert (href, f"{x}", f"{y}") in uses
        else:
            off = 2 * len(tile["under"])
            assert f"translate({x - off} {y - off}) scale(1)" in places
    named = {e.get("id") for e in root.iter()} - {None}
    assert {e.get("href").removeprefix("#") for e in root.iter(f"{SVG}use")} <= named
    words = [e.text for e in root.iter(f"{SVG}text")]
    for seat in position["seats"]:
        assert f"{seat['gold']}  ({seat['score']})" in words
    assert any(word.startswith("The game is over: player") for word in words)


def test_the_tile_placed_last_stands_out():
    game = greedy(2, 1, 20)
    marked = scene_of(position_of(game)).svg()
    position = position_of(game)
    for tile in position["tiles"]:
        tile["last"] = False
    assert marked.count("#E4002B") > scene_of(position).svg().count("#E4002B")


def test_all_pictures_of_a_game_fit_one_size(over):
    """As a video of an episode needs it."""
    found = [scene_of(position_of(now)) for now, _ in over.plies()]
    assert len({scene.svg() for scene in found}) > 0.9 * len(found)
    assert len({(scene.width, scene.height) for scene in found}) > 1
    assert {fitted(scene, 300, 200).shape for scene in found[::20]} == {(200, 300, 3)}


def test_pictures_of_a_history_tell_move_scores_and_sources(over):
    before = [now for now, _ in over.with_options("explicit").plies()][30]
    names = ["Ana", "Bruno", "Carla", "Daniel"][: over.num_players]

    def texts(frame):
        root = ET.fromstring(scene_of(frame, names=names).svg())
        return [element.text for element in root.iter(f"{SVG}text")]

    frame = frame_of(before)
    scores = " : ".join(str(seat["score"]) for seat in frame["seats"])
    assert f"{scores}   {names[frame['mover']]}: {frame['move']}" in texts(frame)
    last = texts(frame_of(over))
    gold_of = ["sales", "volcanoes", "water", "sun", "temples", "score"]
    assert last[last.index("sales") :][: len(gold_of)] == gold_of
    assert {"mines"} == {*texts(frame_of(greedy(2, 1)))} & {"mines", "volcanoes"}
    for row in frame_of(over)["sources"]:
        assert {str(row["sales"]), str(row["temples"])} <= set(last)
    score = over.scores()
    ranks = sorted(range(over.num_players), key=lambda seat: -score[seat])
    assert len(set(score)) == over.num_players
    table = last[last.index("score") :]
    assert [text for text in table if text in names][:4] == [names[seat] for seat in ranks]
    assert any(text.startswith("jungle pile: ") for text in texts(frame))
    assert "sales" not in texts(frame)


def test_no_text_beside_the_table_runs_into_another(over):
    """A letter is taken to be as wide as in the usual fonts in the mean, 0.56 of its size."""
    longest = frame_of(over)
    longest["move"] = "overbuild with 3-0-0-1 at ab10, gold north and south (from the north)"
    for frame in (longest, frame_of(over)):
        scene = scene_of(frame, names=["A name of sixteen"] * over.num_players)
        lines: dict[int, list[tuple[float, float]]] = {}
        for text in ET.fromstring(scene.svg()).iter(f"{SVG}text"):
            size = float(text.get("font-size"))
            wide = 0.56 * size * len(text.text or "")
            part = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor")]
            first = float(text.get("x")) - part * wide
            if float(text.get("x")) > scene.width - PANEL_WIDTH:
                middle = round(float(text.get("y")) - 0.36 * size)
                lines.setdefault(middle, []).append((first, first + wide))
        for spans in map(sorted, lines.values()):
            assert spans[-1][1] <= scene.width + 1
            assert all(one[1] <= other[0] + 1 for one, other in pairwise(spans))


# --- Render modes ---------------------------------------------------------------------------


def test_a_window_shows_the_pixels(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    from cacao_env.render.window import Window

    window = Window(60, 40)
    drawn = np.zeros((40, 60, 3), np.uint8)
    drawn[10, 50] = (200, 30, 60)
    window.show(drawn)
    assert pygame.display.get_surface().get_at((50, 10))[:3] == (200, 30, 60)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(drawn)  # somebody closed it: what comes later is not shown
    window.show(drawn)
    window.close()


@pytest.mark.parametrize(
    ("mode", "package", "words"),
    [
        ("rgb_array", "PIL", r"Pillow is not installed: pip install 'cacao-env\[render\]'"),
        ("rgb_array", "resvg_py", r"resvg-py is not installed: pip install 'cacao-env\[render\]'"),
        ("human", "pygame", r"pygame is not installed: pip install 'cacao-env\[window\]'"),
    ],
)
def test_a_package_that_is_missing_is_named(mode, package, words, monkeypatch):
    env = cacao_v0.raw_env(render_mode=None)
    env.reset(seed=0)
    for module in [name for name in sys.modules if name.partition(".")[0] == package] + [package]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DependencyNotInstalled, match=words):
        Renderer(mode).show(env.game)


# --- The command ----------------------------------------------------------------------------


def test_pictures_are_written(tmp_path, capsys):
    (tmp_path / "game.json").write_text(recorded())
    command = ["render", str(tmp_path / "game.json"), "--ply", "30", "--tile", "40", "-o"]
    for name, more in (("x.png", []), ("x.svg", []), ("one.svg", ["--viewer", "1"])):
        assert main([*command, str(tmp_path / name), *more]) == 0
    whole, one = ((tmp_path / name).read_text() for name in ("x.svg", "one.svg"))
    assert ET.fromstring(whole).tag == f"{SVG}svg"
    assert len(one) < len(whole)  # without the other hand
    with Image.open(tmp_path / "x.png") as picture:
        assert f"{picture.width} x {picture.height} pixels" in capsys.readouterr().out
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"game.json", "x.png", "x.svg", "one.svg"}
