"""The loss is torch's, and the gradient that is written out is the one that autograd takes."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from attn_kata.reference.cross_entropy import cross_entropy, cross_entropy_backward

TARGETS = torch.tensor([[0, 2, 5, -1, -1], [1, 1, 0, 4, -1]])


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("ignored", [-1, 0])
@pytest.mark.parametrize("size", [1, 100])
def test_torch_agrees(size, ignored, smoothing):
    """In float64, whichever target does not count, for logits of any size, to the last digits."""
    draws = torch.Generator().manual_seed(0)
    targets = TARGETS.clamp_min(ignored)
    logits = torch.randn(2, 5, 6, generator=draws, dtype=torch.float64).mul(size)
    logits.requires_grad_(True)
    rows, flat = logits.flatten(0, 1), targets.flatten()
    torchs = F.cross_entropy(rows, flat, ignore_index=ignored, label_smoothing=smoothing)
    mine = cross_entropy(logits, targets, ignored, smoothing)
    torch.testing.assert_close(mine, torchs, rtol=0, atol=1e-12)
    (truth,) = torch.autograd.grad(torchs, logits)
    made = cross_entropy_backward(logits, targets, ignored, smoothing)
    torch.testing.assert_close(made, truth, rtol=0, atol=1e-12)
