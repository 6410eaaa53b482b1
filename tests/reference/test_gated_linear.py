"""Chunks of any size give what as many steps give, and the sum over all pairs."""

from __future__ import annotations

import pytest
import torch
from attn_kata.reference.gated_linear import gated_linear_attention, gated_step
from torch import Tensor


def drawn(length: int, size: float = 1) -> list[Tensor]:
    """Query, key, value, gate and the state that the first position finds."""
    shapes = ((2, 3, length, 5), (2, 3, length, 5), (2, 3, length, 7), (2, 3, length), (2, 3, 5, 7))
    query, key, value, gate, state = (torch.randn(*one, dtype=torch.float64) for one in shapes)
    return [query, key, value, gate * size, state]


@pytest.mark.parametrize("chunk_size", [1, 4, 11, 20])
def test_steps_agree(chunk_size: int):
    """The outputs and the last state, where the length is a multiple of the chunk and where not."""
    torch.manual_seed(0)
    query, key, value, gate, state = drawn(11)
    rows, stepped = [], state
    for t in range(11):
        q, k, v, g = (each[:, :, t] for each in (query, key, value, gate))
        row, stepped = gated_step(q, k, v, g, stepped)
        rows.append(row)
    made = gated_linear_attention(query, key, value, gate, state, chunk_size)
    torch.testing.assert_close(made, (torch.stack(rows, dim=2), stepped))


def test_all_pairs_agree():
    """Each key times the factors of the positions behind it, one by one, with no logs."""
    torch.manual_seed(0)
    query, key, value, gate, _ = drawn(9)
    kept = gate.sigmoid() ** (1 / 16)
    whole = torch.zeros_like(value)
    for i in range(9):
        for j in range(i + 1):
            faded = kept[..., j + 1 : i + 1].prod(dim=-1)
            score = (query[:, :, i] * key[:, :, j]).sum(dim=-1)
            whole[:, :, i] += (faded * score).unsqueeze(-1) * value[:, :, j]
    nothing = torch.zeros(2, 3, 5, 7, dtype=torch.float64)
    made, _ = gated_linear_attention(query, key, value, gate, nothing, 4)
    torch.testing.assert_close(made, whole)


def test_large_gates_have_gradients():
    """A gate of −10,000 empties the state, and 10,000 keeps it; neither makes a NaN."""
    torch.manual_seed(0)
    leaves = [each.requires_grad_() for each in drawn(11, size=10_000)]
    query, key, value, gate, state = leaves
    output, final = gated_linear_attention(query, key, value, gate, state, 4)
    grads = torch.autograd.grad(output.square().sum() + final.square().sum(), leaves)
    assert all(bool(each.isfinite().all()) for each in (output, final, *grads))
