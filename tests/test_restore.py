"""Only positions of games are restored: the validator, its twin, and every door before the engine."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
import signal
import threading

import numpy as np
import pytest

from cacao_env import Game
from cacao_env.agents.bots import Bot
from cacao_env.engine.options import Options
from cacao_env.engine.rng import new_rng
from cacao_env.engine.saving import states_of
from cacao_env.engine.state import ACT, FILL, OVER, PLACE, STATE
from cacao_env.engine.validate import PROBLEMS, StateError, check_states
from cacao_env.envs.vector import VectorGames
from cacao_env.envs.versus import VersusGames
from tests.fuzz.states import mutated, pool
from tests.fuzz.twin import why_unsound
from tests.games import STYLES, positions

SIZES = (None, 11, 12, 13, 32)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_position_of_play_is_accepted(players, style):
    rng, phases = np.random.default_rng(players), set()
    for number in range(10):
        options = Options(
            players, number % 2 == 1, ("auto", "explicit")[number // 2 % 2], SIZES[number % 5]
        )
        for game in positions(Game.deal(options, number), rng, STYLES[style]):
            phases.add(game.phase)
            check_states(game.states)
            for seat in range(players):
                check_states(game.determinise(seat, new_rng(number)).states)
            if rng.random() < 0.02:
                assert not why_unsound(game.states[0])
    assert phases == {"place", "fill", "act", "over"}


def test_padding_and_the_end_of_the_open_cells_do_not_count():
    for state in pool(4):
        changed = np.frombuffer(b"\xff" * STATE.itemsize, STATE).copy()
        for name in STATE.names:
            changed[name] = state[name]
        changed["open_cells"][0, int(state["open_count"]) :] = -7
        check_states(changed)


def one(phase: int, players: int = 3, **fields: int) -> np.ndarray:
    """A position of the pool in a phase, with more than 4 worker tiles."""
    for state in pool():
        fits = all(state[name] == value for name, value in fields.items())
        late = state["worker_count"] > 4 and state["num_players"] == players
        if state["phase"] == phase and fits and late:
            return state[None].copy()
    raise AssertionError("there is none")


def exchanged(values: np.ndarray) -> None:
    """Exchange the first value with the next other one."""
    other = int(np.flatnonzero(values != values[0])[0])
    values[[0, other]] = values[[other, 0]]


def _second_pending(state):
    seat = int(np.flatnonzero(state["pending"][0])[0])
    state["pending"][0, seat] = 0xFFFF


# What is changed in a position of a phase, and what is said of it.
CHANGES = {
    "a phase that there is not": (PLACE, lambda s: s["phase"].fill(5), 7),
    "a phase below 0": (PLACE, lambda s: s["phase"].fill(-1), 7),
    "a game that ends early": (PLACE, lambda s: s["phase"].fill(OVER), 7),
    "another seat": (PLACE, lambda s: s["seat"].fill(3), 7),
    "another active seat": (PLACE, lambda s: s["active"].fill((s["active"][0] + 1) % 3), 7),
    "a turn more": (PLACE, lambda s: s["turn"].fill(s["turn"][0] + 3), 8),
    "five players": (PLACE, lambda s: s["num_players"].fill(5), 5),
    "a table of 33": (PLACE, lambda s: s["table_size"].fill(33), 5),
    "another kind in a pile": (PLACE, lambda s: s["worker_draws"][0, 0].fill(3), 6),
    "a kind that there is not": (PLACE, lambda s: s["jungle_draws"][0, -1:].fill(12), 6),
    "a tile more in the hand": (PLACE, lambda s: s["hand"][0, 0, :1].fill(9), 8),
    "a tile drawn too early": (PLACE, lambda s: s["drawn"][0, :1].fill(10), 8),
    "a list beyond its table": (PLACE, lambda s: s["worker_count"].fill(1000), 9),
    "a cell beyond the board": (PLACE, lambda s: s["worker_cells"][0, :1].fill(2001), 9),
    "a cell of the other colour": (PLACE, lambda s: s["jungle_cells"][0, 2:3].fill(1), 9),
    "cells in another order": (PLACE, lambda s: exchanged(s["worker_cells"][0, :3]), 1),
    "an open cell twice": (PLACE, lambda s: s["open_cells"][0, :2].fill(s["open_cells"][0, 1]), 1),
    "a worker cell far away": (PLACE, lambda s: s["board"][0, 500:501].fill(-3), 1),
    "a jungle cell far away": (PLACE, lambda s: s["board"][0, 501:502].fill(-3), 1),
    "a wider box": (PLACE, lambda s: s["row_min"].fill(s["row_min"][0] - 1), 2),
    "another corner": (PLACE, lambda s: s["corner_row"].fill(s["corner_row"][0] + 2), 2),
    "another display": (PLACE, lambda s: s["display"][0, :1].fill(11), 3),
    "a tile more in the pile": (PLACE, lambda s: s["jungle_pile"][0, 1:2].fill(9), 3),
    "overbuilding too early": (PLACE, lambda s: s["overbuilding"].fill(1), 3),
    "six cacao": (PLACE, lambda s: s["cacao"][0, :1].fill(6), 10),
    "water beyond the track": (PLACE, lambda s: s["water"][0, :1].fill(9), 10),
    "a fortune": (PLACE, lambda s: s["gold"][0, :1].fill(32767), 10),
    "other temples": (PLACE, lambda s: s["temples"][0, :1].fill(40), 10),
    "an edge in a turn not begun": (PLACE, lambda s: s["pending"][0, :1].fill(1), 4),
    "nothing to fill": (FILL, lambda s: s["to_fill"].fill(0), 4),
    "other cells to fill": (FILL, lambda s: s["to_fill"].fill(15), 4),
    "every edge activated": (ACT, _second_pending, 4),
    "nobody acts": (ACT, lambda s: s["pending"].fill(0), 4),
    "other cells filled": (ACT, lambda s: s["filled"].fill(s["filled"][0] ^ 8), 4),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_no_game_has_is_refused_in_one_sentence(what):
    phase, change, problem = CHANGES[what]
    state = one(phase)
    check_states(state)
    change(state)
    with pytest.raises(
        StateError, match=re.escape(f"game 0 can't be restored: {PROBLEMS[problem]}")
    ):
        check_states(state)
    if what != "cells in another order":  # the twin knows no order
        assert why_unsound(state[0])
    with pytest.raises(StateError):
        states_of(state.tobytes())


def test_a_token_paid_for_overbuilding_is_not_in_the_stock_any_more():
    states = [state for state in pool(120) if state["under"].any()]
    said = set()
    for state in states:
        for seat, tokens in itertools.product(range(int(state["num_players"])), range(4)):
            changed = state[None].copy()
            changed["sun"][0, seat] = tokens
            refused = bool(why_unsound(changed[0]))
            said.add(refused)
            if refused:
                with pytest.raises(StateError):
                    check_states(changed)
            else:
                check_states(changed)
    assert said == {True, False}


def test_nothing_is_accepted_that_the_twin_refuses():
    rng = np.random.default_rng(5)
    accepted = 0
    for _ in range(3000):
        state = mutated(pool(), rng)
        try:
            check_states(state)
        except StateError:
            continue
        accepted += 1
        assert not why_unsound(state[0])
    assert accepted > 100


# --- Doors ------------------------------------------------------------------------------------


def vector(number: int = 3) -> VectorGames:
    games = VectorGames(number, num_players=3, table_size=15, reward="shaped", seed=1)
    for _ in range(20):
        games.step(games.sample())
    return games


def versus(number: int = 3) -> VersusGames:
    games = VersusGames(number, {"greedy": 1, "mc:sims=2,top=2": 1}, num_players=3, seed=1)
    for _ in range(4):
        games.step(games.action_masks.argmax(1))
    return games


def set_phase(arrays, phase):
    arrays["states"].reshape(-1).view(STATE)["phase"][1] = phase


@pytest.mark.parametrize("make", [vector, versus])
@pytest.mark.parametrize("phase", [3, 5, -1])
def test_a_batch_restores_no_phase_that_it_is_not_in(make, phase):
    games = make()
    arrays = games.arrays()
    set_phase(arrays, phase)
    before = games.arrays()
    with pytest.raises(StateError, match="game 1 can't be restored: its phase, turn, seat"):
        games.restore(arrays)
    for name, array in games.arrays().items():
        assert array.tobytes() == before[name].tobytes(), name


def test_a_batch_that_replaces_finished_games_restores_none():
    games = VectorGames(1, num_players=2, table_size=15)
    game = Game.new(2, 3, table_size=15)
    while not game.over:
        game.play(int(game.legal_actions()[0]))
    arrays = games.arrays()
    arrays["states"] = game.states.view(np.uint8).reshape(1, -1)
    with pytest.raises(StateError, match="a game is over"):
        games.restore(arrays)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("learners", 3, "a learner has no seat"),
        ("learners", -1, "a learner has no seat"),
        ("kinds", 9, "a game has an opponent that there is not"),
        ("kinds", -1, "a game has an opponent that there is not"),
        ("rewards", np.nan, "rewards has numbers that are not finite"),
        ("_potentials", np.inf, "_potentials has numbers that are not finite"),
    ],
)
def test_games_against_opponents_restore_no_other_seats(name, value, sentence):
    games = versus()
    arrays = games.arrays()
    arrays[name].flat[0] = value
    with pytest.raises(StateError, match=sentence):
        games.restore(arrays)


def test_games_against_opponents_restore_decisions_of_the_learner_alone():
    games = versus()
    arrays = games.arrays()
    arrays["learners"] = (arrays["learners"] + 1) % 3
    with pytest.raises(StateError, match="another seat than the learner's decides"):
        games.restore(arrays)
    arrays = games.arrays()
    arrays["memory"][np.arange(3), arrays["learners"]] = 1
    with pytest.raises(StateError, match="a seat has a memory and no agent"):
        games.restore(arrays)


@pytest.mark.parametrize("make", [vector, versus])
def test_shapes_and_types_are_those_of_the_games(make):
    games = make()
    for name, array in games.arrays().items():
        for wrong in (array[:1], array.reshape(-1, 1), array.astype(object), array.tolist()):
            if isinstance(wrong, np.ndarray) and wrong.shape == array.shape and name == "states":
                continue
            with pytest.raises(StateError, match=f"saved games do not match: {name} "):
                games.restore(games.arrays() | {name: wrong})
    flags = "terminations" if make is vector else "dones"
    odd = np.full(3, 2, np.uint8).view(np.bool_)
    with pytest.raises(StateError, match=f"{flags} has values other than true and false"):
        games.restore(games.arrays() | {flags: odd})


@pytest.mark.parametrize("make", [vector, versus])
def test_copies_and_pickles_of_a_batch_play_on_and_damaged_ones_are_refused(make):
    games = make()
    for twin in (copy.deepcopy(games), pickle.loads(pickle.dumps(games))):
        assert (twin.states == games.states).all()  # padding aside
        twin.step(twin.action_masks.argmax(1))
    games.states["phase"][1] = 5
    with pytest.raises(StateError, match="game 1 can't be restored"):
        pickle.loads(pickle.dumps(games))


@pytest.mark.parametrize("kind", [VectorGames, VersusGames])
def test_a_restored_batch_plays_on_as_the_batch_itself(kind):
    more = {"opponents": {"greedy": 1, "random": 1}} if kind is VersusGames else {}
    games, again = (kind(3, reward="shaped", seed=seed, **more) for seed in (1, 2))
    rng = np.random.default_rng(0)

    def step(*batches):
        masks = batches[0].action_masks
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        for batch in batches:
            batch.step(actions)

    for _ in range(40):
        step(games)
    again.restore(games.arrays())
    shown = ("observations", "action_masks", "rewards", "final_scores")
    for _ in range(80):
        for name in shown:
            np.testing.assert_array_equal(getattr(games, name), getattr(again, name), name)
        step(games, again)


def test_a_damaged_pickle_of_a_game_is_refused():
    game = Game.new(seed=1)
    game.play(int(game.legal_actions()[0]))
    assert pickle.loads(pickle.dumps(game)) == game
    make, (data, history) = game.__reduce__()
    for short in (b"", data[:1], data[:-1], data * 2):
        with pytest.raises(StateError, match=f"a saved game has {len(short)} bytes, expected"):
            make(short, history)
    game.state.phase = 9
    with pytest.raises(StateError, match="its phase, turn, seat and active do not agree"):
        pickle.loads(pickle.dumps(game))


def test_text_that_is_no_saved_game_gets_one_sentence():
    whole = Game.new(seed=1).to_json()
    for text in ("[" * 100_000, '{"format":' * 50_000, "[]," * 400_000, "[]", "{}", ""):
        with pytest.raises(ValueError, match="not a saved game") as error:
            Game.from_json(text)
        assert len(str(error.value)) <= 300
    data = json.loads(whole) | {"jungle_draws": ["x" * 5000]}
    with pytest.raises(ValueError, match="jungle_draws") as error:
        Game.from_json(json.dumps(data))
    assert len(str(error.value)) <= 300


@pytest.mark.parametrize("name", ["random", "greedy", "endgame", "mc:sims=2", "ismcts:sims=2"])
def test_a_bot_decides_nothing_in_a_game_that_was_never_dealt(name):
    game, bot = Game(Options().blank_states(), []), Bot(name)
    for door in (
        lambda: bot.act([game], [bot.begin(0)]),
        lambda: bot.analyze(game, bot.begin(0)),
        lambda: bot.player(0).act(game),
    ):
        with pytest.raises(ValueError, match="the game has not been dealt"):
            door()


# --- One call at a time -----------------------------------------------------------------------

BUSY = "was called while another call is at work on these games"


class Caller:
    """An opponent that calls its own batch."""

    def __init__(self) -> None:
        self.games: VersusGames | None = None
        self.call = ""

    def act(self, game: Game) -> int:
        """Call a method of the batch, then play."""
        if self.games is not None and self.call:
            arguments = {"step": [self.games.action_masks.argmax(1)], "deal": [self.games.dones]}
            getattr(self.games, self.call)(*arguments.get(self.call, []))
        return int(game.legal_actions()[0])


@pytest.mark.parametrize("call", ["step", "reset", "look", "deal"])
def test_a_call_during_another_is_refused_and_the_next_one_works(call):
    opponent = Caller()
    games = VersusGames(2, opponent, seed=1, table_size=15)
    opponent.games, opponent.call = games, call
    with pytest.raises(Exception, match=f"VersusGames.{call} {BUSY}"):
        games.step(games.action_masks.argmax(1))
    opponent.call = ""
    games.reset(1)
    games.step(games.action_masks.argmax(1))


def test_a_step_from_another_thread_is_refused(monkeypatch):
    games = vector()
    inside, leave = threading.Event(), threading.Event()
    run = games._workers.run

    def slow(*arguments):
        inside.set()
        assert leave.wait(60)
        return run(*arguments)

    chosen = games.sample().copy()
    monkeypatch.setattr(games._workers, "run", slow)
    thread = threading.Thread(target=games.step, args=[chosen])
    thread.start()
    assert inside.wait(60)
    before = games.states.tobytes()
    for call in (lambda: games.step(chosen), games.sample, games.arrays, games.reset):
        with pytest.raises(RuntimeError, match=BUSY):
            call()
    assert games.states.tobytes() == before
    leave.set()
    thread.join()
    monkeypatch.setattr(games._workers, "run", run)
    games.step(games.sample())


def test_a_step_from_a_signal_handler_is_refused(monkeypatch):
    games, found = vector(), []

    def handler(number, frame):
        try:
            games.step(games.action_masks.argmax(1))
        except RuntimeError as error:
            found.append(str(error))

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        run = games._workers.run

        def raising(*arguments):
            signal.raise_signal(signal.SIGUSR1)
            return run(*arguments)

        chosen = games.sample().copy()
        monkeypatch.setattr(games._workers, "run", raising)
        games.step(chosen)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert found
    assert all(BUSY in text for text in found)
