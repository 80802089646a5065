"""Labels by replays near the end; in the checkout:

    python docs/lab/replays.py make runs/replays/near 25 102
    python docs/lab/replays.py make runs/replays/held-out 1.5 101
    python docs/lab/replays.py learn runs/replays

``make`` plays ``trinitario`` against itself.  Where the network foresees little of what can be
foreseen (at most 8, 11, 16 placements left with 2, 3, 4 players), it deals again what the viewer does
not see, plays the rest eight times, and keeps each result.  ``learn`` trains on from ``trinitario``
with two sets of labels, the mean of the replays and one of them, on the same positions, and writes a
checkpoint for each.
"""

import sys
import time
from pathlib import Path

import numpy as np

from cacao_env.agents.endgame import placements_left
from cacao_env.agents.value.checkpoint import read_value, save_value
from cacao_env.agents.value.net import POINTS, from_params, new_scratch
from cacao_env.agents.value.turns import new_work, value_actions
from cacao_env.engine.actions import MAX_LEGAL
from cacao_env.engine.jit import njit
from cacao_env.engine.rng import uniform
from cacao_env.engine.scoring import score, scores_into, win_shares_into
from cacao_env.engine.state import ACT, OVER, STATE, deal, redeal
from cacao_env.engine.tiles import MAX_PLAYERS
from cacao_env.greedy.turn import step_turn
from training.values.games import Behaviour, Samples, _keep, gumbel, new_samples
from training.values.learning import Fitter
from training.values.players import join, play, split_games

REPLAYS = 8
MOST = {2: 8, 3: 11, 4: 16}  # placements left
WEIGHTS = {"2": 0.5, "3": 0.2, "4": 0.3}  # of the numbers of players
TRINITARIO = Path("checkpoints/trinitario")


@njit
def choose(net, scratch, work, state, top, noise, ids, values, rng):
    """Return the deciding seat's best action among ``top``, with Gumbel noise on the values."""
    count = value_actions(net, scratch, work, state, top, ACT, ids, values, rng)
    if count == 1:
        return ids[0]
    for i in range(count):
        values[i] += noise * gumbel(rng) if noise > 0 else 0.0
    return ids[np.argmax(values[:count])]


@njit
def replayed(net, scratch, work, options, seeds, most, samples, shares, points):
    """Play a game for each seed; write samples, and the results of the replays of each."""
    states = np.empty(2, STATE)
    ids, values = np.empty(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    scores, result = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS)
    written = 0
    for g in range(len(seeds)):
        rng = seeds[g : g + 1]
        states[0] = options[0]
        game, other = states[0], states[1]
        deal(game, rng)
        players = np.int64(game.num_players)
        while game.phase != OVER:
            turn, mover = game.turn, np.int64(game.active)
            states[1] = game
            redeal(other, np.int64(game.seat), rng)
            step_turn(game, choose(net, scratch, work, other, 12, 0.03, ids, values, rng))
            if game.turn == turn or game.phase == OVER or placements_left(game) > most:
                continue
            for viewer in range(players):
                if viewer != mover and uniform(rng) > 0.15:
                    continue
                _keep(net, game, viewer, scratch, samples, written)
                for k in range(shares.shape[1]):
                    states[1] = game
                    redeal(other, viewer, rng)
                    while other.phase != OVER:
                        action = choose(net, scratch, work, other, net.inner, 0.0, ids, values, rng)
                        step_turn(other, action)
                    scores_into(other, scores)
                    win_shares_into(other, scores, result)
                    for i in range(players):
                        seat = (viewer + i) % players
                        shares[written, k, i] = result[seat]
                        points[written, k, i] = (scores[seat] - score(game, seat)) / POINTS
                written += 1
    return written


def make(folder: Path, minutes: float, seed: int) -> None:
    """Write chunks of samples until the time is over."""
    folder.mkdir(parents=True, exist_ok=True)
    params, _ = read_value(TRINITARIO)
    net = from_params(params)
    end, number = time.time() + 60 * minutes, 0
    while time.time() < end:
        for games in split_games(60, WEIGHTS, 0.15, [seed, number]):
            players = games.options.num_players
            room = len(games.seeds) * MOST[players] * players
            samples = new_samples(room)
            shares, points = np.zeros((2, room, REPLAYS, MAX_PLAYERS), np.float32)
            count = replayed(
                net,
                new_scratch(net),
                new_work(),
                games.options.blank_states(),
                games.seeds.copy(),
                MOST[players],
                samples,
                shares,
                points,
            )
            arrays = {name: array[:count] for name, array in samples._asdict().items()}
            name = f"{seed}-{number:05}-{players}{'v' if games.options.volcanoes else ''}.npz"
            arrays |= {"shares_of_each": shares[:count], "points_of_each": points[:count]}
            np.savez_compressed(folder / name, **arrays)
        number += 1
        print(number, round(time.time() - end + 60 * minutes), "s", flush=True)


def load(folder: Path, which: slice) -> Samples:
    """Samples with the mean over some of the replays as their targets."""
    parts = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as found:
            one = {name: found[name] for name in Samples._fields}
            shares, points = found["shares_of_each"], found["points_of_each"]
        one["win_shares"] = shares[:, which].mean(1)
        one["points"] = points[:, which].mean(1)
        parts.append(Samples(**one))
    return join(parts)


def learn(folder: Path) -> None:
    """Train on from trinitario with the labels of one replay, and with the mean of all."""
    params, about = read_value(TRINITARIO)
    ordering = {"ordering": params.pop("ordering")}
    net = from_params(params | ordering)
    ordinary = []  # so that what it knows of the rest of the game stays
    for games in split_games(30_000, WEIGHTS, 0.15, [7, 0]):
        how = Behaviour(noise=0.01, top=12, td_lambda=0.85, others=0.3)
        ordinary.append(play(games, net, how)[0])
    rest = join(ordinary)
    print(len(rest.stage), "ordinary samples", flush=True)
    held_out = load(folder / "held-out", slice(None))
    for name, which in (("one", slice(0, 1)), ("mean", slice(None))):
        fitter = Fitter({"sums": 96, "maxima": 32, "units": 64}, 31, 0.003)
        fitter.start_from(params)
        near = load(folder / "near", which)
        samples = join([rest, near, near])
        steps = 4 * len(samples.stage) // 512
        for part in range(20):
            losses = fitter.fit(
                [samples], steps // 20, 512, 4e-4 * (1 - part / 20) + 1e-5, [31, part]
            )
            print(name, part, losses, *of(fitter.mean, held_out), flush=True)
        save_value(
            folder / name, name, fitter.mean.params() | ordering, about["rules"], training={}
        )


def of(net, held_out):
    """Losses on samples that nothing was learned from."""
    import torch

    judge = Fitter(net.size, 0, 1.0)
    judge.net.load_state_dict(net.state_dict())
    with torch.no_grad():
        return [round(x.item(), 5) for x in judge._losses(held_out)]


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
    else:
        learn(Path(sys.argv[2]))
