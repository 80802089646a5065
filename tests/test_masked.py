"""The lean masked distribution against sb3-contrib's."""

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution

from training.masked import sample
from training.sb3_policy import LeanMaskable


def both(logits, masks):
    """The same distribution, theirs and ours, each with logits of its own to take gradients of."""
    found = []
    for kind in (MaskableCategoricalDistribution, LeanMaskable):
        own = logits.clone().requires_grad_()
        made = kind(logits.shape[1]).proba_distribution(own)
        if masks is not None:
            made.apply_masking(masks)
        found.append((made, own))
    return found


def some(seed: int, spread: float = 3.0, rows: int = 64, actions: int = 300):
    torch.manual_seed(seed)
    logits = spread * torch.randn(rows, actions)
    masks = torch.rand(rows, actions) < torch.rand(rows, 1) * 0.2
    masks[:, seed % actions] = True
    masks[0] = False
    masks[0, 5] = True  # a single legal action
    return logits, masks


@pytest.mark.parametrize("spread", [0.01, 3.0, 30.0])
@pytest.mark.parametrize("masked", [True, False])
def test_log_probabilities_entropy_and_gradients_are_equal(spread, masked):
    for seed in range(4):
        logits, masks = some(seed, spread)
        theirs, ours = both(logits, masks if masked else None)
        assert torch.equal(theirs[0].mode(), ours[0].mode())
        actions = ours[0].sample()
        weights = torch.randn(2, len(logits))
        results = []
        for made, own in (theirs, ours):
            log_prob, entropy = made.log_prob(actions), made.entropy()
            ((log_prob * weights[0]).sum() + (entropy * weights[1]).sum()).backward()
            results.append((log_prob, entropy, own.grad))
        for one, other in zip(*results, strict=True):
            assert torch.allclose(one, other, rtol=1e-4, atol=2e-5)
        assert results[0][2].abs().max() > 1e-3


def test_samples_are_legal_and_as_frequent_as_likely():
    logits, masks = some(3, rows=5, actions=40)
    many = 20_000
    _, (ours, _) = both(logits.repeat_interleave(many, 0), masks.repeat_interleave(many, 0).numpy())
    drawn = ours.sample().view(5, many)
    probabilities = torch.softmax(logits.masked_fill(~masks, -torch.inf), 1).numpy()
    for row in range(5):
        found = np.bincount(drawn[row], minlength=40) / many
        assert (found[~masks[row].numpy()] == 0).all()
        sd = np.sqrt(probabilities[row] * (1 - probabilities[row]) / many)
        assert (np.abs(found - probabilities[row]) < 5 * sd + 1e-6).all()


@pytest.mark.parametrize("draw", [0.0, 0.5, 1.0])
def test_the_least_and_the_greatest_draw_are_legal_too(draw):
    masks = torch.tensor([[False, True, True], [False, True, False], [True, False, False]])
    drawn = sample(torch.zeros(3, 3), masks, torch.full((3,), draw))
    assert masks.gather(1, drawn[:, None]).all()
    assert sample(torch.zeros(3, 3), None, torch.full((3,), draw)).tolist() == [round(2 * draw)] * 3


def test_a_new_action_is_not_given_the_old_one_s_probability():
    logits, masks = some(1)
    (theirs, _), (ours, _) = both(logits, masks)
    for _ in range(3):
        actions = ours.sample()
        assert torch.allclose(theirs.log_prob(actions), ours.log_prob(actions), atol=1e-5)
