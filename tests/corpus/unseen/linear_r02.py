# attn-kata: linear
from __future__ import annotations

import torch
from torch import Tensor, nn

phi = nn.ELU()


def with_ones(value: Tensor) -> Tensor:
    """A last column of ones: whatever sums up values then sums up weights too."""
    return torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)


def divide(mixed: Tensor) -> Tensor:
    return mixed[..., :-1] / mixed[..., -1:]


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype = query.dtype
    if dtype.itemsize == 2:
        query, key, value = query.float(), key.float(), value.float()
    fq = phi(query) + 1
    fk = phi(key) + 1
    state = fk.transpose(-2, -1) @ with_ones(value)
    return divide(fq @ state).to(dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype = query.dtype
    if dtype.itemsize == 2:
        query, key, value = query.float(), key.float(), value.float()
    fq = phi(query) + 1
    fk = phi(key) + 1
    extended = with_ones(value)

    rows = []
    state = None
    for i in range(query.shape[2]):
        # outer product of one key and its value, as a rank-one matrix
        update = fk[:, :, i, :].unsqueeze(-1) * extended[:, :, i, :].unsqueeze(-2)
        state = update if state is None else state + update
        row = fq[:, :, i, :].unsqueeze(-2) @ state
        rows.append(row.squeeze(-2))
    return divide(torch.stack(rows, dim=2)).to(dtype)
