"""The norm is torch's, and the gradients that are written out are those that autograd takes."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from attn_kata.reference.layernorm import layer_norm, layer_norm_backward


@pytest.mark.parametrize("eps", [1e-5, 0.1])
@pytest.mark.parametrize("shape", [(2, 4, 6), (1, 1, 3), (3, 7, 768)])
def test_torch_agrees(shape, eps):
    """In float64, forward and backward, to the last digits."""
    draws = torch.Generator().manual_seed(0)

    def leaf(*size):
        drawn = torch.randn(*size, generator=draws, dtype=torch.float64)
        return drawn.requires_grad_(True)

    x, weight, bias = leaf(*shape), leaf(shape[-1]), leaf(shape[-1])
    torchs = F.layer_norm(x, shape[-1:], weight, bias, eps)
    torch.testing.assert_close(layer_norm(x, weight, bias, eps), torchs, rtol=0, atol=1e-12)
    upstream = torch.randn(shape, generator=draws, dtype=torch.float64)
    truth = torch.autograd.grad(torchs, (x, weight, bias), upstream)
    made = layer_norm_backward(upstream, x, weight, eps)
    for mine, autograds in zip(made, truth, strict=True):
        torch.testing.assert_close(mine, autograds, rtol=0, atol=1e-12)
