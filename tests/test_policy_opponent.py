"""A policy as the opponent in many games at once."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cacao_env.envs.versus import POLICY, VersusGames


def first_legal(observations, masks):
    return masks.argmax(axis=1)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_the_policy_plays_all_other_seats_and_sees_what_they_see(players, seed):
    shown = []

    def policy(observations, masks):
        shown.extend((row.tobytes(), mask.tobytes()) for row, mask in zip(observations, masks))
        return first_legal(observations, masks)

    games = VersusGames(
        1,
        "random",
        num_players=players,
        seed=seed,
        seat=seed % players,
        policy=policy,
        policy_share=1.0,
    )
    assert games.kinds[0] == POLICY
    assert bool(shown) == (seed % players > 0)  # who is before the learner has begun
    shown.clear()
    game, expected = games.game(0), []
    while not game.over:
        mask = game.action_mask()
        if game.seat != games.learners[0]:
            expected.append((game.observation(game.seat).tobytes(), mask.tobytes()))
        game.play(int(mask.argmax()))
    while not games.dones[0]:
        games.step(games.action_masks.argmax(axis=1), deal=False)
    assert shown == expected
    scores = game.scores()
    own = scores.pop(seed % players)
    assert games.final_scores[0].tolist() == [own, max(scores)]


def test_a_share_of_the_games_is_the_policy_s():
    games = VersusGames(
        3000, {"random": 1, "greedy": 3}, seed=0, policy=first_legal, policy_share=0.4
    )
    shares = np.bincount(games.kinds, minlength=3) / 3000
    assert shares == pytest.approx([0.15, 0.45, 0.4], abs=0.04)
    plain = VersusGames(50, {"random": 1, "greedy": 3}, seed=0, policy=first_legal)
    assert plain.kinds.max() < POLICY


def test_the_policy_may_be_replaced():
    games = VersusGames(4, "random", seed=1, policy=first_legal, policy_share=1.0)
    asked = []

    def other(observations, masks):
        asked.append(len(masks))
        return first_legal(observations, masks)

    games.policy = other
    games.step(games.action_masks.argmax(axis=1))
    assert asked


def test_what_a_policy_may_not_do_is_named():
    def refused(words, **options):
        with pytest.raises(ValueError, match=re.escape(words)):
            VersusGames(4, **({"opponents": "random", "seed": 0} | options))

    refused("policy_share is 0.5, expected 0 to 1, and 0 without a policy", policy_share=0.5)
    refused("policy_share is 1.5", policy_share=1.5, policy=first_legal)
    refused(
        "a policy goes with opponents that play in compiled code only: random, greedy",
        opponents="mc:sims=4",
        policy=first_legal,
        policy_share=0.5,
    )
    none = {"policy_share": 1.0, "policy": lambda observations, masks: masks.argmin(axis=1)}
    refused("game 0, seat 0: illegal action", **none)
    refused("(the policy's)", **none)
    short = {"policy_share": 1.0, "policy": lambda observations, masks: np.zeros(1, int)}
    refused("actions have shape (1,)", **short)


def test_games_are_fairly_played_by_both_sides():
    """The same policy on both sides wins half."""
    rng = np.random.default_rng(0)

    def at_random(observations, masks):
        return (masks * rng.random(masks.shape)).argmax(axis=1)

    games = VersusGames(400, "greedy", seed=2, policy=at_random, policy_share=1.0)
    own = other = 0
    for _ in range(30):
        games.step(at_random(None, games.action_masks))
        own += int((games.final_scores[games.dones, 0] > games.final_scores[games.dones, 1]).sum())
        other += int(
            (games.final_scores[games.dones, 0] < games.final_scores[games.dones, 1]).sum()
        )
    assert own + other > 300
    assert abs(own - other) / (own + other) < 0.15
