"""Planted bugs: learning."""

from __future__ import annotations

from .harness import Bug
from .values import VALUE

AFTERSTATE = ("tests/test_afterstate.py",)
SAMPLES = ("tests/test_samples.py",)
PPO = ("tests/test_ppo.py", "-k", "not two_processes")
MASKED = ("tests/test_masked.py",)
SB3 = ("tests/test_training.py", "-k", "resumed")
NETWORK = ("tests/test_training.py", "-k", "turning or depends")

BUGS = [
    Bug(
        "a sample's shares are those of absolute seats",
        "training/afterstate/games.py:play_sample_games",
        "samples.win_shares[place[t, viewer], i] = total_shares[seat]",
        "samples.win_shares[place[t, viewer], seat] = total_shares[seat]",
        SAMPLES,
    ),
    Bug(
        "points already scored are learnt again",
        "training/afterstate/games.py:play_sample_games",
        "added = total_points[seat] - now[t, seat]",
        "added = total_points[seat]",
        SAMPLES,
    ),
    Bug(
        "lambda mixes in nothing",
        "training/afterstate/games.py:play_sample_games",
        "total_shares[seat] += (1 - behaviour.td_lambda) * win_shares[\n                            t, viewer, seat\n                        ]",
        "total_shares[seat] /= behaviour.td_lambda",
        SAMPLES,
    ),
    Bug(
        "what was expected is mixed in a turn too early",
        "training/afterstate/games.py:play_sample_games",
        "            for t in range(turns - 1, -1, -1):\n                # What",
        "            for t in range(turns - 2, -1, -1):\n                # What",
        SAMPLES,
    ),
    Bug(
        "what follows a random move is learned",
        "training/afterstate/games.py:play_sample_games",
        "strayed[turns] |= is_random",
        "pass",
        SAMPLES,
    ),
    Bug(
        "the opponent's views become samples too",
        "training/afterstate/games.py:play_sample_games",
        "wanted = learner < 0 or viewer == learner",
        "wanted = True",
        SAMPLES,
    ),
    Bug(
        "the learner plays for its opponent",
        "training/afterstate/games.py:play_sample_games",
        "if learner < 0 or seat == learner:",
        "if True:",
        SAMPLES,
    ),
    Bug(
        "the opponent is met in all games or none",
        "training/afterstate/games.py:play_sample_games",
        "uniform(rng) < behaviour.opponent_fraction",
        "behaviour.opponent_fraction > 0",
        SAMPLES,
    ),
    Bug(
        "search makes all decisions or none",
        "training/afterstate/games.py:_choose",
        "uniform(rng) < behaviour.search_fraction:",
        "uniform(rng) < 1:",
        SAMPLES,
    ),
    Bug(
        "search begins with the run",
        "training/train_afterstate.py:AfterstateLearner.behaviour",
        "if done >= c.search_from else 0.0",
        "if done >= 0 else 0.0",
        (*AFTERSTATE, "-k", "search_begins"),
    ),
    Bug(
        "maxima go below 0 in compiled learning",
        "training/afterstate/first_layer.py:forward_into",
        "if each[m] > most[b, m]:",
        "if k == 0 or each[m] > most[b, m]:",
        VALUE,
    ),
    Bug(
        "a pattern's gradient goes to its first part only",
        "training/afterstate/first_layer.py:backward_into",
        "            for i in range(PARTS.shape[1]):\n                row = of_parts[table, parts[i]]\n                for h in range(len(slope)):",
        "            for i in range(1):\n                row = of_parts[table, parts[i]]\n                for h in range(len(slope)):",
        VALUE,
    ),
    Bug(
        "the context learns from the gates alone",
        "training/afterstate/first_layer.py:backward_into",
        "row[h] += by_context[b, h]",
        "row[h] += by_context[b, h] * (h >= by_total.shape[1])",
        VALUE,
    ),
    Bug(
        "torch multiplies other sums than compiled code",
        "training/afterstate/net.py:ValueNet.forward",
        "products = (of_patterns * first, most * gates)",
        "products = (of_patterns * context[:, -of_patterns.shape[1] :], most * gates)",
        VALUE,
    ),
    Bug(
        "absent players' win shares are learned",
        "training/afterstate/learning.py:Fitter._losses",
        "logits = out[:, :MAX_PLAYERS].masked_fill(~there, -1e9)",
        "logits = out[:, :MAX_PLAYERS]",
        ("tests/test_golden.py", "-k", "golden_run"),
    ),
    Bug(
        "a seat's advantage takes in the other's rewards",
        "training/ppo/rollout.py:advantages_into",
        "            earned[seat] = 0.0\n            known[seat] = True",
        "            known[seat] = True",
        PPO,
    ),
    Bug(
        "what the next game brings is added",
        "training/ppo/rollout.py:advantages_into",
        "                earned[:] = 0.0\n                later[:] = 0.0",
        "                later[:] = 0.0",
        PPO,
    ),
    Bug(
        "an unknown end counts as 0",
        "training/ppo/rollout.py:advantages_into",
        "                advantages[t, g] = np.nan",
        "                advantages[t, g] = 0.0",
        PPO,
    ),
    Bug(
        "the ratio is not clipped",
        "training/ppo/learner.py:PpoFitter._step",
        "clipped = ratio.clamp(1 - c.clip_range, 1 + c.clip_range)",
        "clipped = ratio",
        PPO,
    ),
    Bug(
        "gradients are summed up, not averaged",
        "training/processes.py:average_gradients",
        "    flat /= size()\n",
        "",
        PPO,
    ),
    Bug(
        "entropy's gradient is left out",
        "training/ppo/masked.py:_LogProbAndEntropy.backward",
        ".mul_(of_entropy[:, None])",
        ".mul_(0)",
        MASKED,
    ),
    Bug(
        "illegal actions may be drawn",
        "training/ppo/masked.py:_softmax",
        "        probs = probs * masks\n",
        "        pass\n",
        MASKED,
    ),
    Bug(
        "the table is turned the other way",
        "cacao_env/agents/policy.py:turned_patches",
        "places[image_of_cell(turn, *step), image]",
        "places[image_of_cell(-turn % 4, *step), image]",
        NETWORK,
    ),
    Bug(
        "edges are not turned with the table",
        "cacao_env/agents/policy.py:turned_patches",
        "turned[turn, places[image_of_cell(turn, *step), image]] = number",
        "turned[turn, places[image_of_cell(turn, *step), channel]] = number",
        NETWORK,
    ),
    Bug(
        "earlier selves are not restored",
        "training/train_sb3.py:Sb3Learner.restore",
        '            self.snapshots.restore(part("snapshots", arrays))\n',
        "            pass\n",
        SB3,
    ),
    Bug(
        "a resumed run has new random numbers",
        "training/train_sb3.py:Sb3Learner.restore",
        '        restore_generators(part("generators", arrays), with_numpy=True)\n',
        "",
        SB3,
    ),
]
