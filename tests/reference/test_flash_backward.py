"""flash_backward gives the gradients that autograd gives of attention as a whole."""

from __future__ import annotations

import math

import pytest
import torch
from attn_kata.reference.flash_backward import flash_backward
from torch import Tensor
from torch.nn import functional


def kept(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> tuple[Tensor, Tensor]:
    """Return what the forward pass keeps: its output and the log-sum-exps."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1) == 1, float("-inf"))
    return scores.softmax(dim=-1) @ value, scores.logsumexp(dim=-1)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block_size", [1, 4, 20])
def test_autograd_agrees(block_size: int, causal: bool):
    """With tiles of any size, and scores of hundreds."""
    torch.manual_seed(0)
    for size in (1, 30):
        query, key, value = leaves = [
            (size * torch.randn(2, 3, 11, dim, dtype=torch.float64)).requires_grad_()
            for dim in (5, 5, 7)
        ]
        grad_output = torch.randn(2, 3, 11, 7, dtype=torch.float64)
        whole = functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
        asked = torch.autograd.grad(whole, leaves, grad_output)
        query, key, value = query.detach(), key.detach(), value.detach()
        output, lse = kept(query, key, value, causal)
        made = flash_backward(query, key, value, output, lse, grad_output, block_size, causal)
        torch.testing.assert_close(made, asked, rtol=1e-9, atol=1e-9)


def test_parts_of_the_keys_add_up():
    """As in ring attention: output and lse of all keys, and half of the keys at a time."""
    torch.manual_seed(0)
    query, key, value, grad_output = (
        torch.randn(1, 2, 12, 4, dtype=torch.float64) for _ in range(4)
    )
    output, lse = kept(query, key, value, causal=False)
    whole = flash_backward(query, key, value, output, lse, grad_output, 5)
    # The queries in two halves as well, since queries and keys here are equally many.
    grad_query, grad_key, grad_value = (torch.zeros_like(query) for _ in range(3))
    for rows in (slice(0, 6), slice(6, 12)):
        kept_rows = (output[..., rows, :], lse[..., rows], grad_output[..., rows, :])
        for part in (slice(0, 6), slice(6, 12)):
            here = (query[..., rows, :], key[..., part, :], value[..., part, :])
            some = flash_backward(*here, *kept_rows, 4)
            grad_query[..., rows, :] += some[0]
            grad_key[..., part, :] += some[1]
            grad_value[..., part, :] += some[2]
    torch.testing.assert_close((grad_query, grad_key, grad_value), whole)
