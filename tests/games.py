"""Games for tests: random, and of players that stretch, crowd or overbuild."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from cacao_env import Game, record
from cacao_env.agent import play_game
from cacao_env.agents.bots import Bot
from cacao_env.agents.greedy import appraise_into
from cacao_env.engine.actions import MAX_LEGAL
from cacao_env.engine.state import cell_column, cell_row
from cacao_env.greedy.choices import CHOICES, GREEDY_WEIGHTS, score_actions

Style = Callable[[Game, np.random.Generator], int]


def played_by_bots(players: int, seed: int, bots: Sequence[str], **options: Any) -> Game:
    """A finished game; the seeds of its players are independent of that of its deal."""
    rng = np.random.default_rng([seed & (2**64 - 1), 0xB075])
    seats = zip(bots, rng.integers(0, 2**63, players).tolist())
    return play_game(Game.new(players, seed, **options), [Bot(name).player(s) for name, s in seats])


def play_random(game: Game, rng: np.random.Generator) -> int:
    return int(rng.choice(game.legal_actions()))


def _places(game: Game) -> Iterator[tuple[int, tuple[Any, ...]]]:
    return zip(game.legal_actions().tolist(), game.legal_moves())


def stretch(game: Game, rng: np.random.Generator) -> int:
    """Place as far down as possible, next to a worker tile when there is one: a column grows."""
    if game.phase != "place":
        return play_random(game, rng)
    state, best = game.state, []
    cells = state.worker_cells[: int(state.worker_count)].tolist()
    workers = [(int(cell_row(state, cell)), int(cell_column(state, cell))) for cell in cells]
    for action, (_, _, _, (row, column)) in _places(game):
        beside = any(abs(row - r) == 1 and abs(column - c) == 1 for r, c in workers)
        best.append((row + (0.5 if beside else 0), -abs(column), action))
    top = max(best)[:2]
    return int(rng.choice([action for *key, action in best if tuple(key) == top]))


def crowd(game: Game, rng: np.random.Generator) -> int:
    """Place as near to the middle as possible."""
    if game.phase != "place":
        return play_random(game, rng)
    near = [(row**2 + column**2, action) for action, (_, _, _, (row, column)) in _places(game)]
    least = min(near)[0]
    return int(rng.choice([action for distance, action in near if distance == least]))


def overbuild(game: Game, rng: np.random.Generator) -> int:
    if game.phase != "place":
        return play_random(game, rng)
    covers = [action for action, move in _places(game) if move[0] == "overbuild"]
    return int(rng.choice(covers)) if covers else play_random(game, rng)


STYLES: dict[str, Style] = {
    "random": play_random,
    "stretch": stretch,
    "crowd": crowd,
    "overbuild": overbuild,
}


def played(
    players: int = 2,
    seed: int = 0,
    plies: int = 10**6,
    style: str = "random",
    until: Callable[[Game], bool] | None = None,
    **options: Any,
) -> Game:
    """A game of players of a style, or greedy ones: after so many decisions, or where a condition holds
    first, or at its end."""
    game, rng = Game.new(players, seed, **options), np.random.default_rng(seed)
    bots = [Bot("greedy").player(seat) for seat in range(players)]
    while not game.over and game.ply < plies and not (until and until(game)):
        choice = bots[game.seat].act(game) if style == "greedy" else STYLES[style](game, rng)
        game.play(choice)
    return game


def recorded(players: int = 2, seed: int = 3) -> str:
    """The record of a game of greedy players, as text."""
    names = ["Ana", "Bea", "Carlos", "Dora"][:players]
    return record.dumps(record.record_of(played(players, seed, style="greedy"), players=names))


def game_after(game: Game, action: int) -> Game:
    """A copy of the game in which the action was played."""
    after = game.clone()
    after.play(int(action))
    return after


def greedy_values(game: Game, weights: np.ndarray = GREEDY_WEIGHTS) -> dict[int, float]:
    """What greedy thinks each legal action is worth."""
    if weights is GREEDY_WEIGHTS:  # compiled
        ids, values = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL)
        count = appraise_into(game.states, ids, values)
        return dict(zip(ids[:count].tolist(), values.tolist()))
    choices = np.zeros(1, CHOICES)[0]
    score_actions(choices, game.state, weights)
    return dict(zip(choices.ids[: choices.count].tolist(), choices.values.tolist()))


def as_dealt(game: Game) -> Game:
    """Return the game before its first action."""
    return Game.from_draws(
        *game.draws, volcanoes=game.volcanoes, decisions=game.decisions, table_size=game.table_size
    )


def as_asked(game: Game) -> dict[str, Any]:
    """A game as the page keeps it, and asks the server about it."""
    workers, jungle = game.draws
    options = {"volcanoes": game.volcanoes, "decisions": game.decisions}
    return {
        "options": {"players": game.num_players, **options},
        "deal": {"worker_draws": workers, "jungle_draws": jungle},
        "actions": [int(action) for action in game.history],
    }


class Deal(NamedTuple):
    """A game that Hypothesis draws, and the style that it is played in."""

    players: int
    volcanoes: bool
    decisions: str
    table_size: int | None
    style: str
    seed: int

    def positions(self) -> Iterator[tuple[Game, np.random.Generator]]:
        """Yield the game before every decision and at its end, with the generator that plays it."""
        options = {key: getattr(self, key) for key in ("volcanoes", "decisions", "table_size")}
        game, rng = Game.new(self.players, self.seed, **options), np.random.default_rng(self.seed)
        for position in positions(game, rng, STYLES[self.style]):
            yield position, rng


def any_game(*decisions: str, sizes: Sequence[int | None] = (None,)) -> st.SearchStrategy[Deal]:
    return st.builds(
        Deal,
        players=st.integers(2, 4),
        volcanoes=st.booleans(),
        decisions=st.sampled_from(decisions),
        table_size=st.sampled_from(sizes),
        style=st.sampled_from(sorted(STYLES)),
        seed=st.integers(0, 2**32),
    )


def random_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def positions(game: Game, rng: np.random.Generator, style: Style = play_random) -> Iterator[Game]:
    """Play the game to its end in place; yields it before every decision and once it is over."""
    while not game.over:
        yield game
        game.play(style(game, rng))
    yield game


def continuations(game: Game, ends: Callable[[Game], bool]) -> Iterator[Game]:
    """Try every sequence of legal actions; yields the games where it ends."""
    todo = [game]
    while todo:
        position = todo.pop()
        if ends(position):
            yield position
            continue
        todo += [game_after(position, action) for action in position.legal_actions()]


def relative_scores(game: Game) -> list[float]:
    """Score less the mean of the others', over 15 gold, of every seat."""
    scores = game.scores()
    others = len(scores) - 1
    return [(own - (sum(scores) - own) / others) / 15 for own in scores]


def play(game: Game, action: int) -> dict[str, np.ndarray]:
    """Play an action; every seat's reward for it by mode, worked out from scores and winners alone."""
    players = game.num_players
    before = np.array(relative_scores(game))
    game.play(action)
    after = np.array(relative_scores(game))
    outcome, relative = np.zeros((2, players))
    if game.over:
        winners = game.winners()
        share = np.isin(np.arange(players), winners) / len(winners)
        outcome, relative = (players * share - 1) / (players - 1), after
    return {"outcome": outcome, "relative_score": relative, "shaped": after - before}
