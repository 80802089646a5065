"""Plant bugs in what people see and use, and see that the tests catch each.

``python -m tests.mutations_people [WORD ...]``, as :mod:`tests.mutations` does for the engine.
"""

from __future__ import annotations

import sys

from tests.planting import plant_all

PEOPLE, TERMINAL = ("tests/test_people.py",), ("tests/test_terminal.py",)
THINKING, SERVER = ("tests/test_thinking.py",), ("tests/test_viewer.py",)
PAGE = ("tests/test_viewer_browser.py",)

# What is broken, file, text, replacement, tests that must fail.
MUTATIONS = [
    # --- Effects and choices
    (
        "an effect tells what a hidden tile does",
        "people/effects.py",
        " and state.jungle_drawn == drawn)",
        ")",
        PEOPLE,
    ),
    (
        "an effect does not say that the turn ends",
        "people/effects.py",
        "state.phase == OVER or state.turn != turn)",
        "state.phase == OVER)",
        PEOPLE,
    ),
    (
        "what follows by itself is left out of an effect",
        "people/effects.py",
        'while game.decisions == "auto" and',
        'while game.decisions == "none" and',
        PEOPLE,
    ),
    ("an effect changes the game", "people/effects.py", "one = game.clone()", "one = game", PEOPLE),
    (
        "other players' gains are left out",
        "people/effects.py",
        "for seat, row in enumerate(changes.tolist())",
        "for seat, row in enumerate(changes.tolist()[:1])",
        PEOPLE,
    ),
    (
        "an act's cell is that of the worker tile",
        "people/choices.py",
        '"cell": [row + down, column + right]',
        '"cell": [row, column]',
        PEOPLE,
    ),
    (
        "sides of an act in words are swapped",
        "people/choices.py",
        "SIDE_NAMES[opposite(edge)]",
        "SIDE_NAMES[edge]",
        PEOPLE,
    ),
    # --- Tables and stories
    (
        "undo takes back an agent's decision alone",
        "people/table.py",
        "if game.seat is not None and self._agents[game.seat] is None:\n                last",
        "if game.seat is not None:\n                last",
        PEOPLE,
    ),
    (
        "undo keeps the frames of what was taken back",
        "people/story.py",
        "del self.frames[len(moves) + 1 :]",
        "pass",
        PEOPLE,
    ),
    (
        "everybody's hand is shown to the only person",
        "people/table.py",
        "return people[0]",
        "return None",
        PEOPLE,
    ),
    (
        "all people's hands are shown to all",
        "people/table.py",
        "return self.game.seat if self.game.seat in people else NOBODY",
        "return None",
        PEOPLE,
    ),
    (
        "a person plays for an agent",
        "people/table.py",
        "        if not self.awaits_person:\n            raise",
        "        if False:\n            raise",
        PEOPLE,
    ),
    (
        "a frame's tiles are mixed up when packed",
        "people/story.py",
        "own.append(numbers[key])",
        "own.append(len(tiles) - 1)",
        PEOPLE,
    ),
    (
        "frames are marked as made without asking",
        "people/story.py",
        '"auto": auto, "at"',
        '"auto": True, "at"',
        PEOPLE,
    ),
    # --- The terminal
    (
        "a number picks the next choice",
        "people/terminal.py",
        'listed[number - 1]["action"]',
        'listed[number % len(listed)]["action"]',
        TERMINAL,
    ),
    (
        "any tile goes where one is named",
        "people/terminal.py",
        'kind in ("", choice.get("tile"), _digits(choice))',
        "True",
        TERMINAL,
    ),
    (
        "moves are told twice",
        "people/terminal.py",
        "for frame in table.story.frames[shown + 1 :]:",
        "for frame in table.story.frames[max(1, shown) :]:",
        TERMINAL,
    ),
    (
        "a wrong line ends the game",
        "people/terminal.py",
        "    except ValueError as error:\n        write",
        "    except KeyError as error:\n        write",
        TERMINAL,
    ),
    # --- Thoughts
    (
        "the worst move comes first",
        "thinking.py",
        'order = np.argsort(-values, kind="stable")',
        'order = np.argsort(values, kind="stable")',
        THINKING,
    ),
    (
        "visits of dropped candidates go on growing",
        "bots/halving.py",
        "visits[:alive] += passes",
        "visits += passes",
        THINKING,
    ),
    (
        "weights of a search are not shares",
        "thinking.py",
        "visits[order] / visits.sum()",
        "visits[order] / visits.max()",
        THINKING,
    ),
    (
        "a bot thinks about the true deal",
        "bots/__init__.py",
        "        seen = game.determinise(game.seat, self._rng).states\n        legal",
        "        seen = game.clone().states\n        legal",
        THINKING,
    ),
    (
        "prospects are those of a few seats",
        "bots/playout.py",
        "for seat in range(work[0].num_players):\n            shares",
        "for seat in range(2):\n            shares",
        THINKING,
    ),
    # --- The server
    (
        "any host is served",
        "viewer/server.py",
        "if host not in self._hosts:",
        "if not host:",
        SERVER,
    ),
    (
        "any origin is served",
        "viewer/server.py",
        "elif origin is not None and",
        "elif origin == 'x' and",
        SERVER,
    ),
    (
        "messages may be of any size",
        "viewer/server.py",
        "if len(got) > most:",
        "if len(got) > 1e12:",
        SERVER,
    ),
    (
        "a form of another site may send",
        "viewer/server.py",
        '!= "application/json":',
        '== "application/xml":',
        SERVER,
    ),
    (
        "a request for an earlier position is carried out",
        "viewer/server.py",
        'body.get("ply", at) != at',
        'body.get("ply", at) < 0',
        SERVER,
    ),
    (
        "an agent thinks about another's hidden hand",
        "viewer/server.py",
        "if viewer is not None and game.seat != viewer:",
        "if False:",
        SERVER,
    ),
    (
        "earlier hands of others are sent",
        "viewer/answers.py",
        "if len(people) > 1 and not table.game.over:",
        "if False:",
        SERVER,
    ),
    (
        "agents may be any path",
        "viewer/catalogue.py",
        "elif base in self._given or base in dict(known_names()):",
        "elif base:",
        SERVER,
    ),
    (
        "an agent may think for hours",
        "viewer/catalogue.py",
        'if values.get("ms", 0) > 1000 * MAX_SECONDS:',
        "if False:",
        SERVER,
    ),
    (
        "a corrupt record is kept",
        "viewer/catalogue.py",
        "return self.records.add(Told(title, told(data), data))",
        "self.records.add(None)\n        return self.records.add(Told(title, told(data), data))",
        SERVER,
    ),
    ("data can end its script", "viewer/page.py", '.replace("<", "\\\\u003c")', "", SERVER),
    (
        "the newest things make room",
        "viewer/catalogue.py",
        "popitem(last=False)",
        "popitem(last=True)",
        SERVER,
    ),
    (
        "it listens to the whole network",
        "viewer/server.py",
        "found.bind((HOST, port))",
        'found.bind(("0.0.0.0", port))',
        SERVER,
    ),
    # --- The page
    ("turning does nothing", "viewer/page/choose.js", "state.pick.turn += 1;", "", PAGE),
    (
        "another choice is played than shown",
        "viewer/page/choose.js",
        "if (choice && isChoosing()) play(choice);",
        "if (choice && isChoosing()) play(state.choices[0]);",
        PAGE,
    ),
    (
        "a step shows the wrong frame",
        "viewer/page/timeline.js",
        "state.ply = to;",
        "state.ply = Math.min(to, 20);",
        PAGE,
    ),
    (
        "undo does nothing",
        "viewer/page/start.js",
        'const undoMove = () => change("undo");',
        "const undoMove = () => draw();",
        PAGE,
    ),
    (
        "the agent does not answer",
        "viewer/page/start.js",
        'if (game.awaits === "agent") letAgentDecide();',
        "",
        PAGE,
    ),
    (
        "a temple's gold is shown to the wrong player",
        "viewer/page/board.js",
        "tile.gold[seat] ? `${tile.gold[seat]} gold",
        "tile.gold[seat] ? `${tile.gold[0]} gold",
        PAGE,
    ),
    (
        "the tile below is not shown",
        "viewer/page/board.js",
        "[...tile.under.filter((one) => one.edges), tile]",
        "[tile]",
        PAGE,
    ),
    (
        "the switch hides no hand",
        "viewer/page/base.js",
        "return hidden ? null : player.hand;",
        "return player.hand;",
        PAGE,
    ),
    (
        "a link to a position is not followed",
        "viewer/page/main.js",
        "if (isShown) return go(want.ply);",
        "if (isShown) return;",
        PAGE,
    ),
    (
        "a player's tiles do not stand out",
        "viewer/page/board.js",
        "state.marked !== null && state.marked !== tile.owner",
        "false",
        PAGE,
    ),
    ("an error is not said", "viewer/page/base.js", "say(error.message);", "", PAGE),
    (
        "fit does not fit",
        "viewer/page/board.js",
        "Object.assign(view, { scale: 1, x: 0, y: 0 });\n  drawTable();",
        "drawTable();",
        PAGE,
    ),
    (
        "something is fetched from elsewhere",
        "viewer/page/main.js",
        "function begun() {",
        'function begun() {\n  fetch("http://localhost:1/x").catch(() => null);',
        PAGE,
    ),
]


def main() -> int:
    """Try all mutations, or those whose description contains a word given."""
    return plant_all("cacao_env", MUTATIONS, sys.argv[1:] or [""])


if __name__ == "__main__":
    sys.exit(main())
