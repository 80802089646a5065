"""The command ``warmup``: compile everything now, so that no first call has to wait."""

from __future__ import annotations

import os
import re
import sys
import time
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from .common import add_command


def add_commands(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    add_command(
        commands,
        "warmup",
        _warmup,
        "compile everything now (once after an install)",
        "cacao warmup",
        {"--list": (False, "only list what a first step compiles, with seconds")},
        "Compile everything that environments, agents and evaluations call.  Without this command "
        "each part is compiled when it is first used.",
    )


def _warmup(options: Namespace) -> None:
    from ..engine.code_cache import FOLDER, NAMED, PROBLEM
    from ..engine.progress import Bar

    if FOLDER is None:
        raise ValueError(PROBLEM)
    if options.list:
        for use in (_first_pettingzoo, _first_gymnasium, _first_batch):
            with (
                TemporaryDirectory() as folder,
                patch.dict(os.environ, {NAMED: folder}),
                get_context("spawn").Pool(1) as pool,
            ):
                print(pool.apply(_listed, (use,)))
        return
    begin = time.perf_counter()
    every = list(parts())
    with Bar(every, unit="part") as bar:
        for name, use in bar:
            bar.set_description(name)
            use()
    print(f"everything is compiled ({time.perf_counter() - begin:.0f} s)")


def _listed(use: Callable[[], None]) -> str:
    """Return a table of the functions that are compiled, each without those that it calls."""
    from numba.core.event import RecordingListener, install_listener

    from ..tables import DataTable

    with install_listener("numba:compile", RecordingListener()) as events:
        use()
    seconds, times = defaultdict[str, float](float), Counter[str]()
    begun, last = [""], events.buffer[0][0]
    for now, event in events.buffer:
        seconds[begun[-1]] += now - last
        last = now
        if event.is_start:
            function = event.data["dispatcher"].py_func
            begun.append(f"{function.__module__}.{function.__name__}")
            times[begun[-1]] += 1
        else:
            begun.pop()
    rows = [(name, times[name], f"{seconds[name]:.2f}") for name in times]
    rows.sort(key=lambda row: -seconds[row[0]])
    head = f"{use.__name__[7:]}: {len(rows)} functions in {sum(seconds.values()):.1f} s"
    return f"{head}\n{DataTable(['function', 'times', 'seconds'], rows, 'lrr').text()}\n"


def _first_pettingzoo() -> None:
    from ..envs.aec import env

    environment = env()
    environment.reset(seed=0)
    environment.step(int(environment.last()[0]["action_mask"].argmax()))


def _first_gymnasium() -> None:
    import gymnasium

    environment = gymnasium.make("cacao_env/Cacao-v0")
    seen, _ = environment.reset(seed=0)
    environment.step(int(seen["action_mask"].argmax()))


def _first_batch() -> None:
    from ..envs.vector import VectorGames

    games = VectorGames(2, seed=0)
    games.step(games.action_masks.argmax(axis=1))


def parts() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the name of each part, and a function that uses all of it once."""
    from ..agents.bots import BOTS
    from ..agents.loading import installed_agents

    yield "games", _games
    yield "the PettingZoo environment", _pettingzoo
    yield "batches of games", _batches
    yield "games against opponents", _versus
    for name in (*BOTS, *(name for name, _ in installed_agents())):
        yield f"the agent {name}", partial(_agent, name)
    yield "the judge of decisions", _judge
    yield "the luck of the draw", _luck
    yield "data sets", _data_sets


def _games() -> None:
    from ..game import Game
    from ..gold_sources import gold_by_source

    game = Game.new(seed=0, decisions="turn")
    game.play(int(game.legal_actions()[0]))
    game = Game.new(seed=0, decisions="explicit")
    while not game.over:
        game.play(game.action(game.text(int(game.legal_actions()[0]))))
    game.elementary_moves()
    gold_by_source(game)
    game.undo()
    game.determinise(0, 0).observation(0)
    game.action_mask()
    game.leaders()
    str(game)


def _pettingzoo() -> None:
    from ..engine.observation import OBSERVATION_DTYPES
    from ..engine.options import DECISIONS
    from ..envs.aec import raw_env

    for dtype, decisions in product(OBSERVATION_DTYPES, DECISIONS):
        environment = raw_env(decisions=decisions, observation_dtype=dtype)
        environment.reset(seed=0)
        environment.observe("player_1")
        environment.step(environment.game.legal_actions()[0])


def _batches() -> None:
    from ..engine.options import DECISIONS
    from ..envs.vector import VectorGames, playouts

    for threads, decisions in product((1, 2), DECISIONS):
        games = VectorGames(2, table_size=15, seed=0, decisions=decisions, num_threads=threads)
        games.step(games.sample())
    games.restore(games.arrays())
    playouts(games.states, games.rngs, 1)
    rows = VectorGames(2, observation="candidates", seed=0)
    rows.step(rows.sample())


def _versus() -> None:
    from ..engine.observation import OBSERVATION_DTYPES
    from ..engine.options import DECISIONS
    from ..envs.versus import VersusGames

    for opponent, decisions in product(("random", "greedy", "mc:sims=2,exact=0"), DECISIONS):
        for dtype in OBSERVATION_DTYPES:
            games = VersusGames(
                2, opponent, decisions=decisions, table_size=15, seed=0, observation_dtype=dtype
            )
            while not games.dones.any():
                games.step(games.action_masks.argmax(axis=1))
    rows = VersusGames(2, "greedy", observation="candidates", seed=0)
    while not rows.dones.any():
        rows.step(rows.action_masks.argmax(axis=1))


def _agent(name: str) -> None:
    from ..agent import play_game
    from ..game import Game
    from ..registry import load_agent

    try:
        agent = load_agent(re.sub(r"ms=\d+", "sims=2", name))  # the same code in less time
    except ValueError as error:  # a policy, without onnxruntime
        print(error, file=sys.stderr)
        return
    players = agent.players[0]
    game = play_game(Game.new(players, seed=0), [agent.player(seat) for seat in range(players)])
    while game.ply > 40:  # near the end
        game.undo()
    agent.analyze(game, agent.begin(0))
    agent.analyze(Game.new(players, seed=0), agent.begin(0))


def _judge() -> None:
    from ..evaluation.judge import Judge, solved, value_networks
    from ..game import Game

    game = Game.new(seed=0)
    judge = Judge(value_networks()[0][0], game.options, top=2)
    judge.by_playouts(game, int(game.legal_actions()[0]), 1, 2, 0)
    while game.turn < 21:
        game.play(int(game.legal_actions()[0]))
    solved(game, int(game.legal_actions()[0]), all_values=True)


def _luck() -> None:
    from ..evaluation.luck import luck_of
    from ..game import Game

    luck_of(Game.new(seed=0))


def _data_sets() -> None:
    from ..checks import NotInstalled
    from ..data import load
    from ..engine.options import Options
    from ..evaluation.make import Recipe, make

    with suppress(NotInstalled):  # nobody can read data sets then
        for decisions in ("auto", "turn"):
            with TemporaryDirectory() as folder:
                place = Path(folder) / "games"
                make(place, Recipe(("random",), Options(decisions=decisions), 1), {"name": "games"})
                next(load(place).decisions())
