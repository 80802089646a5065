"""The engine in the page: made from these sources, and the same as the package, game by game."""

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.elementary import exp_negative, log_above_one, tanh
from cacao_env.analysis import Analysis
from cacao_env.engine import jit
from cacao_env.play.build import page
from cacao_env.play.review import Reviewer, _decisions
from cacao_env.registry import load_agent
from tests.tiers import mostly_slow

PAGE = Path(__file__).parents[1] / "cacao_env" / "play" / "page"
NODE = shutil.which("node")
MANY = int(os.environ.get("CACAO_PAGE_GAMES", "1"))  # so many times as many games
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")


def test_the_module_was_built_from_these_sources():
    """After a change of what is compiled into it: ``python -m cacao_env.play.build``."""
    built = json.loads((page.OUT / "fields.json").read_text(encoding="utf-8"))
    assert built == json.loads(json.dumps(page.fields()))


@needs_node
def test_the_javascript_passes_its_own_tests():
    tests = sorted((PAGE / "checks").glob("*.test.js"))
    if not (PAGE / "node_modules").is_dir():  # the page's own packages, which ``npm ci`` installs
        tests = [test for test in tests if test.name not in ("page.test.js", "play.test.js")]
    done = subprocess.run([str(NODE), "--test", *map(str, tests)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def listed(agent: str, count: int, sims: int) -> Iterator[dict[str, Any]]:
    """Games of all numbers of players, with and without volcanoes, in all ways of asking."""
    for seed in range(count * MANY):
        yield {
            "players": 2 + seed % 3,
            "volcanoes": seed % 2 == 1,
            "decisions": ("auto", "auto", "auto", "turn")[seed // 6 % 4],
            "seed": seed,
            "agent": agent,
            "sims": sims,
            "thoughts": 7,
        }


def in_the_page(games: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Play the games in Node; ``actions, scores, rng, thought`` of each."""
    assert NODE is not None
    text = "\n".join(map(json.dumps, games))
    command = [NODE, str(PAGE / "checks" / "games.mjs")]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def natively(one: dict[str, Any]) -> dict[str, Any]:
    name = one["agent"]
    if one["sims"]:
        name += f"{':' if name == 'mc' else '+search:'}sims={one['sims']}"
    agent, seed = load_agent(name), one["seed"]
    options = {"volcanoes": one["volcanoes"], "decisions": one["decisions"]}
    game = Game.new(one["players"], seed, **options)
    memory = [agent.begin(10 * seed + seat) for seat in range(game.num_players)]
    thought = []
    while game.seat is not None:
        if game.ply % one["thoughts"] == 0:
            thought.append(as_data(agent.analyze(game, agent.begin(seed))))
        game.play(agent.act([game], [memory[game.seat]])[0])
    rng = [str(int(own[0])) for own in memory]
    return {"actions": list(game.history), "scores": game.scores(), "rng": rng, "thought": thought}


def as_data(analysis: Analysis) -> dict[str, Any]:
    """An analysis as the page has it: what is known of each action, the best first."""
    known = (analysis.actions, analysis.weights, analysis.values, analysis.visits)
    columns = [column.tolist() for column in known if column is not None]
    assert analysis.win_shares is not None
    assert analysis.scores is not None
    expected = {"win_shares": analysis.win_shares.tolist(), "scores": analysis.scores.tolist()}
    return {"candidates": [list(row) for row in zip(*columns, strict=True)], **expected}


def alike(own: Any, page: Any) -> bool:
    """Whether plain data are the same, numbers to nine digits."""
    if isinstance(own, str):
        return bool(own == page)
    if isinstance(own, dict):
        return own.keys() == page.keys() and all(alike(own[key], page[key]) for key in own)
    if isinstance(own, list):
        return len(own) == len(page) and all(map(alike, own, page))
    return bool(math.isclose(own, page, rel_tol=1e-9, abs_tol=1e-9))


TRINITARIO = (("trinitario", 12, 0), ("trinitario", 3, 4))


@needs_node
@pytest.mark.skipif(not jit.COMPILED, reason="in the interpreter these games take minutes")
@pytest.mark.parametrize(
    ("agent", "count", "sims"),
    mostly_slow([("greedy", 24, 0), ("random", 48, 0), ("mc", 3, 8), *TRINITARIO]),
)
def test_games_in_the_page_are_those_of_the_package(agent, count, sims):
    games = list(listed(agent, count, sims))
    for one, there in zip(games, in_the_page(games), strict=True):
        own = natively(one)
        for key in ("actions", "scores", "rng"):
            assert own[key] == there[key], one
        assert alike(own["thought"], there["thought"]), one


@needs_node
@pytest.mark.skipif(not jit.COMPILED, reason="in the interpreter these games take minutes")
@pytest.mark.parametrize("players", mostly_slow([2, 3, 4]))
def test_a_loss_and_its_sources_are_those_of_the_package(players):
    """What a move lost is judged alike, and its sources add up to it."""
    asked = {"players": players, "volcanoes": players == 3, "decisions": "auto", "seed": 5}
    asked |= {"agent": "random", "sims": 0, "thoughts": 0}
    game = Game.new(players, 5, volcanoes=players == 3)
    memory = [load_agent("random").begin(50 + seat) for seat in range(players)]
    while game.seat is not None:
        game.play(load_agent("random").act([game], [memory[game.seat]])[0])
    decisions = list(_decisions(game.with_options("explicit")))
    some = [decisions[k] for k in (0, 9, 20, -12, -5, -3)]
    [there] = in_the_page([asked | {"judge": [ply for ply, _, _ in some]}])
    reviewer = Reviewer(game.options)
    explained = {False: 0, True: 0}
    for decision, other in zip(some, there["judged"], strict=True):
        own = reviewer.judged(*decision)
        for key in ("gold", "low", "high", "exact", "sources", "gain", "grade", "shares"):
            assert alike(own[key], other[key]), (own["ply"], key)
        if own["gold"]:
            explained[own["exact"]] += 1
            assert sum(other["sources"].values()) == pytest.approx(other["gold"], abs=1e-9)
    assert explained[False] > 1
    assert explained[True] > 0


# --- exp, tanh and log ------------------------------------------------------------------------


def ulps(found, exact):
    """The error of a float in units of the last place of the exact value."""
    return abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact)))


def test_exp_tanh_and_log_err_by_less_than_three_units_in_the_last_place():
    rng = np.random.default_rng(0)
    small = 10.0 ** -rng.uniform(0, 15, 500)
    negative = -np.concatenate([rng.uniform(0, 700, 500), rng.exponential(3, 500), small])
    both = np.concatenate([rng.normal(0, 1, 1000), small, -small, rng.uniform(-30, 30, 500)])
    above = np.concatenate([np.arange(2.0, 500), 1 + rng.exponential(50, 500), 1 + small])
    with localcontext() as context:
        context.prec = 50
        for x in negative.tolist():
            assert ulps(exp_negative(x), Decimal(x).exp()) < 1
        for x in both.tolist():
            squared = (2 * Decimal(x)).exp()
            assert ulps(tanh(x), (squared - 1) / (squared + 1)) < 3
        for x in above.tolist():
            if x > 1:
                assert ulps(log_above_one(x), Decimal(x).ln()) < 3


def test_exp_tanh_and_log_at_their_ends():
    assert [exp_negative(x) for x in (0.0, -709.0, -1e9, -math.inf)] == [1.0, 0.0, 0.0, 0.0]
    assert [tanh(x) for x in (0.0, 400.0, -400.0, math.inf)] == [0.0, 1.0, -1.0, 1.0]
    assert math.copysign(1, tanh(-0.0)) == -1
    assert log_above_one(1.0) == 0.0


SAY = """
import numpy as np
from cacao_env.agents.elementary import exp_negative, log_above_one, tanh
for x in np.random.default_rng(1).normal(0, 3, 400).tolist():
    print(exp_negative(-abs(x)).hex(), tanh(x).hex(), log_above_one(1 + abs(x)).hex())
"""


def test_compiled_and_interpreted_they_are_the_same():
    told = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        command = [sys.executable, "-c", SAY]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        told.append(done.stdout)
    assert told[0] == told[1]
    assert len(told[0].splitlines()) == 400
