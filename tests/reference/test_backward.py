"""The gradients that are written out are those that autograd takes."""

from __future__ import annotations

import pytest
import torch
from attn_kata.reference.backward import attention_backward
from attn_kata.reference.sdpa import attention


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("queries", "keys"), [(4, 7), (5, 5), (1, 6), (1, 1)])
def test_autograd_agrees(queries, keys, causal):
    """In float64, for lengths that differ and that do not, to the last digits."""
    draws = torch.Generator().manual_seed(0)

    def leaf(length, width):
        drawn = torch.randn(2, 3, length, width, generator=draws, dtype=torch.float64)
        return drawn.requires_grad_(True)

    query, key, value = leaf(queries, 5), leaf(keys, 5), leaf(keys, 4)
    output = attention(query, key, value, causal=causal)
    upstream = torch.randn(output.shape, generator=draws, dtype=torch.float64)
    truth = torch.autograd.grad(output, (query, key, value), upstream)
    made = attention_backward(query, key, value, upstream, causal)
    for mine, autograds in zip(made, truth, strict=True):
        torch.testing.assert_close(mine, autograds, rtol=0, atol=1e-12)
