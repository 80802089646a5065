"""Bugs for the learners, planted by :mod:`tests.mutations_training` as well."""

from __future__ import annotations

AFTERSTATE = ("tests/test_afterstate.py",)
VALUE = ("tests/test_value.py",)
SAMPLES = ("tests/test_samples.py",)
PPO = ("tests/test_ppo.py", "-k", "not two_processes")
MASKED = ("tests/test_masked.py",)
SB3 = ("tests/test_training.py", "-k", "resumed")
NETWORK = ("tests/test_training.py", "-k", "turning or reads or depends")

# What is broken, file, text, replacement, tests that must fail.
MUTATIONS = [
    # --- Games of value learning
    (
        "a sample's shares are those of absolute seats",
        "value/games.py",
        "samples.shares[place[t, viewer], i] = total_shares[seat]",
        "samples.shares[place[t, viewer], seat] = total_shares[seat]",
        SAMPLES,
    ),
    (
        "points already scored are learnt again",
        "value/games.py",
        "added = total_points[seat] - now[t, seat]",
        "added = total_points[seat]",
        SAMPLES,
    ),
    (
        "lambda mixes in nothing",
        "value/games.py",
        "total_shares[seat] += (1 - behaviour.decay) * shares[t, viewer, seat]",
        "total_shares[seat] /= behaviour.decay",
        SAMPLES,
    ),
    (
        "what was expected is mixed in a turn too early",
        "value/games.py",
        "            for t in range(turns - 1, -1, -1):\n                if place[t, viewer] >= 0:",
        "            for t in range(turns - 2, -1, -1):\n                if place[t, viewer] >= 0:",
        SAMPLES,
    ),
    (
        "the rival's views are kept too",
        "value/games.py",
        "wanted = learner < 0 or viewer == learner",
        "wanted = True",
        SAMPLES,
    ),
    (
        "the learner plays for its rival",
        "value/games.py",
        "if learner < 0 or seat == learner:",
        "if True:",
        SAMPLES,
    ),
    (
        "the rival is met in all games or none",
        "value/games.py",
        "behaviour.rival != NO_RIVAL and uniform(rng) < behaviour.rival_share",
        "behaviour.rival != NO_RIVAL and behaviour.rival_share > 0",
        SAMPLES,
    ),
    (
        "search makes all decisions or none",
        "value/games.py",
        "uniform(rng) < behaviour.searched:",
        "uniform(rng) < 1:",
        SAMPLES,
    ),
    (
        "search begins with the run",
        "train_afterstate.py",
        "if self.progress >= c.search_from else 0.0",
        "if self.progress >= 0 else 0.0",
        (*AFTERSTATE, "-k", "search_begins"),
    ),
    # --- The value network
    (
        "maxima go below 0 in compiled learning",
        "value/first_layer.py",
        "if each[m] > most[b, m]:",
        "if k == 0 or each[m] > most[b, m]:",
        VALUE,
    ),
    (
        "a pattern's gradient goes to its first part only",
        "value/first_layer.py",
        "            for i in range(PARTS.shape[1]):\n                row = of_parts[table, parts[i]]\n"
        "                for h in range(len(slope)):",
        "            for i in range(1):\n                row = of_parts[table, parts[i]]\n"
        "                for h in range(len(slope)):",
        VALUE,
    ),
    (
        "the context learns from the gates alone",
        "value/first_layer.py",
        "row[h] += by_context[b, h]",
        "row[h] += by_context[b, h] * (h >= by_total.shape[1])",
        VALUE,
    ),
    (
        "torch multiplies other sums than compiled code",
        "value/net.py",
        "products = (of_patterns * first, most * gates)",
        "products = (of_patterns * context[:, -of_patterns.shape[1] :], most * gates)",
        VALUE,
    ),
    (
        "absent players' odds are learnt",
        "value/learning.py",
        "logits = out[:, :MAX_PLAYERS].masked_fill(~there, -1e9)",
        "logits = out[:, :MAX_PLAYERS]",
        AFTERSTATE,
    ),
    # --- Policy gradients
    (
        "a seat's advantage takes in the other's rewards",
        "ppo/rollout.py",
        "            earned[seat] = 0.0\n            known[seat] = True",
        "            known[seat] = True",
        PPO,
    ),
    (
        "what the next game brings is added",
        "ppo/rollout.py",
        "                earned[:] = 0.0\n                later[:] = 0.0",
        "                later[:] = 0.0",
        PPO,
    ),
    (
        "an unknown end counts as 0",
        "ppo/rollout.py",
        "                advantages[t, g] = np.nan",
        "                advantages[t, g] = 0.0",
        PPO,
    ),
    (
        "the ratio is not clipped",
        "ppo/learner.py",
        "clipped = ratio.clamp(1 - c.clip, 1 + c.clip)",
        "clipped = ratio",
        PPO,
    ),
    (
        "gradients are summed up, not averaged",
        "ppo/learner.py",
        "    flat /= dist.get_world_size()\n",
        "",
        PPO,
    ),
    (
        "entropy's gradient is left out",
        "ppo/masked.py",
        "slope = (log_chances + entropy[:, None]).mul_(of_entropy[:, None])",
        "slope = (log_chances + entropy[:, None]).mul_(0)",
        MASKED,
    ),
    (
        "illegal actions may be drawn",
        "ppo/masked.py",
        "        chances = chances * masks\n",
        "",
        MASKED,
    ),
    (
        "the table is turned the other way",
        "ppo/network.py",
        "places[image_of_cell(turn, *step), image]",
        "places[image_of_cell(-turn % 4, *step), image]",
        NETWORK,
    ),
    (
        "edges are not turned with the table",
        "ppo/network.py",
        "turned[turn, places[image_of_cell(turn, *step), image]] = number",
        "turned[turn, places[image_of_cell(turn, *step), channel]] = number",
        NETWORK,
    ),
    (
        "earlier selves are not kept",
        "train_sb3.py",
        '            self.snapshots.restore(part("snapshots", arrays))\n',
        "            pass\n",
        SB3,
    ),
    (
        "random numbers begin anew",
        "train_sb3.py",
        '        restore_generators(part("generators", arrays))\n',
        "",
        SB3,
    ),
]
