"""Distil a value network's choices into a move ordering, and write the network with it.

    python -m training.distil_ordering runs/mine --out runs/mine_ordered

The network plays itself.  In some positions it evaluates every legal placement, and the ordering
learns to predict its choice (cross-entropy with the softmax of its values).  A table shows how often
the choice is among the first placements, on positions that were not learnt from.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from cacao_env.agents.checkpoint import NAME, CheckpointError, find, is_name
from cacao_env.agents.value.checkpoint import read_value, save_value
from cacao_env.agents.value.net import Net, from_params, new_scratch
from cacao_env.agents.value.ordering import (
    GOLD,
    NUM_COLUMNS,
    ORDERING_SHAPE,
    OVERBUILDS,
    PAIRS,
    STAGE,
    part_number,
    word_after,
)
from cacao_env.agents.value.patterns import NUM_LETTERS
from cacao_env.agents.value.turns import new_work, value_actions, value_after
from cacao_env.checks import as_int, as_path, in_short
from cacao_env.engine.actions import MAX_LEGAL, indexed_cell
from cacao_env.engine.jit import njit
from cacao_env.engine.options import Options
from cacao_env.engine.rng import below, new_rng, uniform
from cacao_env.engine.state import FILL, OVER, PLACE, STATE, deal, redeal
from cacao_env.engine.tiles import EDGES, MAX_WORKERS_ON_EDGE, NUM_VARIANTS
from cacao_env.greedy.choices import GREEDY_WEIGHTS, score_placements, tiles_shown
from cacao_env.greedy.turn import step_turn
from cacao_env.tables import DataTable

from .loop import parser_of, run_command
from .run_folder import require_room

# Fractions of the positions: players, volcanoes, fraction.
KINDS = ((2, False, 0.6), (2, True, 0.1), (3, False, 0.1), (4, True, 0.1), (4, False, 0.1))
TEMPERATURE = 0.02  # utility
RANDOM = 0.03  # of placements, so that positions differ from the network's own
ASKED = 0.5  # of placements are evaluated completely
BATCH, RATE, DECAY = 256, 0.03, 1e-6
HELD_OUT = 10  # one position of so many is not learnt from
FIRST = (1, 3, 5, 8, 16, 24)


def placement_parts() -> np.ndarray:
    """Return the columns of the parts of each variant on each word, (NUM_WORDS, NUM_VARIANTS, 10)."""
    letters = np.indices((NUM_LETTERS,) * 4).reshape(4, -1).T
    sides = letters[:, None, :] * (MAX_WORKERS_ON_EDGE + 1) + EDGES[None, :, :]
    parts = [sides[..., side] for side in range(4)]
    parts += [part_number(pair, sides[..., a], sides[..., b]) for a, b, pair in PAIRS]
    return np.stack(parts, -1).astype(np.int32)


class Positions(NamedTuple):
    """Positions, and rows of all their placements one after the other."""

    first: Any  # (P,) the first row of a position
    count: Any  # (P,)
    stage: Any  # (P,)
    gold: Any  # (R,) greedy's value, float32
    values: Any  # (R,) the network's, float32
    words: Any  # (R,) int32, ``word_after``
    variants: Any  # (R,) int8
    overbuilds: Any  # (R,) bool


def new_positions(count: int) -> Positions:
    """Allocate positions of 130 placements each in the mean."""
    rows = 130 * count + MAX_LEGAL
    kinds = (np.float32, np.float32, np.int32, np.int8, np.bool_)
    arrays: list[Any] = [np.zeros(count, np.int64) for _ in range(3)]
    return Positions(*(arrays + [np.zeros(rows, kind) for kind in kinds]))


@njit
def collect(net, scratch, work, options, rng, found, done, wanted):
    """Play games; add positions after the first ``done`` until there are ``wanted``.

    Returns how many there are: fewer when there is no room for their rows.
    """
    state = np.empty(2, STATE)
    ids, values = np.empty(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL)
    row = found.first[done - 1] + found.count[done - 1] if done > 0 else 0
    while done < wanted:
        state[0] = options[0]
        game, view = state[0], state[1]
        deal(game, rng)
        while game.phase != OVER:
            state[1] = game
            seat = np.int64(game.seat)
            redeal(view, seat, rng)
            top = np.int64(net.top)
            if game.phase == PLACE and uniform(rng) < ASKED and done < wanted:
                if row + MAX_LEGAL > len(found.gold):
                    return done
                choices = work.choices[0]
                score_placements(choices, view, GREEDY_WEIGHTS, True)
                found.first[done], found.count[done] = row, choices.count
                found.stage[done] = STAGE[np.int64(view.tiles_each) - np.int64(view.placed[seat])]
                for i in range(choices.count):
                    place = np.int64(choices.ids[i])
                    ids[i] = place
                    cell = indexed_cell(view, place // NUM_VARIANTS)
                    found.gold[row + i] = choices.values[i]
                    found.words[row + i] = word_after(
                        view, cell, np.int64(choices.ways[i]), tiles_shown(view)
                    )
                    found.variants[row + i] = place % NUM_VARIANTS
                    found.overbuilds[row + i] = view.board[cell] > 0
                count = found.count[done]
                for i in range(count):
                    values[i] = value_after(net, scratch, work, view, ids[i], seat, FILL, rng)
                    found.values[row + i] = values[i]
                row += count
                done += 1
            else:
                count = value_actions(net, scratch, work, view, top, FILL, ids, values, rng)
            best = np.argmax(values[:count]) if count > 1 else 0
            if game.phase == PLACE and uniform(rng) < RANDOM:
                best = below(rng, count)
            step_turn(game, ids[best])
    return done


def play_positions(net: Net, rules: Mapping[str, Any], count: int, seed: int) -> Positions:
    """Return positions of the kinds of games that the network plays, from its own play."""
    found, done, wanted = new_positions(count), 0, 0.0
    kinds = {
        number: kind
        for number, kind in enumerate(KINDS)
        if kind[0] in rules["players"] and kind[1] <= rules["volcanoes"]
    }
    whole = sum(fraction for *_, fraction in kinds.values())
    for number, (players, volcanoes, fraction) in kinds.items():
        wanted += fraction / whole * count
        options, rng = Options(players, volcanoes), new_rng(seed * len(KINDS) + number)
        last = min(count, round(wanted))
        scratch, work = new_scratch(net), new_work()
        done = collect(net, scratch, work, options.blank_states(), rng, found, done, last)
    arrays = [array[:done] for array in found[:3]]
    return Positions(*(arrays + list(found[3:])))


class Ordering(torch.nn.Module):
    """The numbers to learn, shape ``ORDERING_SHAPE``; greedy's value begins with the weight 1.

    Only one thread may train it at a time.
    """

    def __init__(self) -> None:
        super().__init__()
        start = torch.zeros(ORDERING_SHAPE)
        start[:, GOLD] = 1.0
        self.numbers = torch.nn.Parameter(start)
        self._parts = torch.from_numpy(placement_parts())

    def forward(self, found: Positions, chosen: Any) -> tuple[torch.Tensor, Any, torch.Tensor]:
        """Return logits, the rows and which of them are placements, each (B, most placements)."""
        count = found.count[chosen][:, None]
        place = np.arange(count.max())[None]
        rows = found.first[chosen][:, None] + np.minimum(place, count - 1)
        words = torch.from_numpy(found.words[rows].astype(np.int64))
        variants = torch.from_numpy(found.variants[rows].astype(np.int64))
        of_stage = torch.from_numpy(found.stage[chosen])[:, None] * NUM_COLUMNS
        flat = self.numbers.reshape(-1)
        logits = flat[self._parts[words, variants].long() + of_stage[..., None]].sum(-1)
        logits = logits + flat[of_stage + GOLD] * torch.from_numpy(found.gold[rows])
        logits = logits + flat[of_stage + OVERBUILDS] * torch.from_numpy(found.overbuilds[rows])
        there = torch.from_numpy(place < count)
        return logits.masked_fill(~there, -1e9), rows, there


def fit(found: Positions, steps: int, seed: int) -> Ordering:
    """Learn an ordering from all positions but those held out."""
    ordering, rng = Ordering(), np.random.default_rng(seed)
    optimizer = torch.optim.Adam(ordering.parameters())
    learnt = np.flatnonzero(np.arange(len(found.first)) % HELD_OUT)
    for done in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - done / steps) + 1e-4
        logits, rows, there = ordering(found, rng.choice(learnt, min(BATCH, len(learnt)), False))
        values = torch.from_numpy(found.values[rows]).masked_fill(~there, -1e9)
        target = torch.softmax(values / TEMPERATURE, 1)
        loss = -(target * torch.log_softmax(logits, 1)).sum(1).mean()
        loss = loss + DECAY * (ordering.numbers[:, :OVERBUILDS] ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return ordering


@torch.no_grad()
def hits(found: Positions, ordering: Ordering) -> Any:
    """Return how often the best placement is among the first, (stages, 2, len(FIRST)).

    By greedy's value and by the ordering, of the positions held out.
    """
    held_out = np.flatnonzero(np.arange(len(found.first)) % HELD_OUT == 0)
    result = np.zeros((ORDERING_SHAPE[0], 2, len(FIRST)))
    seen = np.maximum(1, np.bincount(found.stage[held_out], minlength=ORDERING_SHAPE[0]))
    for one in held_out:
        rows = slice(found.first[one], found.first[one] + found.count[one])
        best, stage = int(np.argmax(found.values[rows])), found.stage[one]
        logits = ordering(found, np.array([one]))[0][0].numpy()
        for number, order in enumerate((found.gold[rows], logits)):
            before = int((order > order[best]).sum())
            result[stage, number] += before < np.array(FIRST)
    return result / seen[:, None, None]


def report(shares: Any) -> str:
    """Return ``hits`` as a Markdown table."""
    rows = []
    for stage in range(len(shares)):
        left = np.flatnonzero(stage == STAGE)[stage == 0 :]  # a decision has a placement left
        for name, row in zip(("greedy", "ordering"), shares[stage], strict=True):
            rows.append((f"{left[0]} to {left[-1]}", name, *(f"{x:.0%}" for x in row)))
    return DataTable(("own placements left", "first by", *FIRST), rows, align="l").markdown()


def run(args: argparse.Namespace) -> int:
    """Distil, write, and print the table."""
    for name, least in (("positions", HELD_OUT), ("steps", 1), ("seed", 0)):
        as_int(f"--{name}", getattr(args, name), least)
    torch.set_num_threads(1)
    folder = find(args.network)
    if folder is None:
        raise CheckpointError(f"{args.network}: there is no such checkpoint")
    params, layout, manifest = read_value(folder)
    params.pop("ordering", None)
    if not is_name(args.out.name):
        raise CheckpointError(f"--out ends with {in_short(args.out.name)}, expected {NAME}")
    require_room(args.out, args.overwrite)
    found = play_positions(
        from_params(params, layout), manifest["rules"], args.positions, args.seed
    )
    ordering = fit(found, args.steps, args.seed)
    params["ordering"] = ordering.numbers.detach().numpy().copy()
    about = {"positions": len(found.first), "steps": args.steps, "seed": args.seed}
    training = manifest.get("training", {}) | {"ordering": about}
    save_value(args.out, args.out.name, params, manifest["rules"], layout, training=training)
    print(report(hits(found, ordering)))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = parser_of("distil_ordering", __doc__)
    parser.add_argument("network", help="a checkpoint of a value network")
    parser.add_argument("--out", type=as_path, required=True, help="the folder to write")
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a checkpoint that is there"
    )
    parser.add_argument("--positions", type=int, default=60_000)
    parser.add_argument("--steps", type=int, default=5000, help="of gradient descent")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    return run_command(lambda: run(args))


if __name__ == "__main__":
    sys.exit(main())
