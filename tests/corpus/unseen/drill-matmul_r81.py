from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # (V^T W^T)^T
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads, q_len, _ = weights.shape
    rows = torch.matmul(weights.unsqueeze(-2), values.unsqueeze(2))  # one row vector for each query
    assert rows.shape[:4] == (batch, heads, q_len, 1)
    return rows.squeeze(-2)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    b, h, q, k, d = range(5)
    return torch.einsum(weights, [b, h, q, k], values, [b, h, k, d], [b, h, q, d])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    # heads before batch: any order will do that is the same both ways
    def fold(t: Tensor) -> Tensor:
        return t.transpose(0, 1).flatten(0, 1)

    folded = torch.bmm(fold(weights), fold(values))
    return folded.unflatten(0, (weights.shape[1], weights.shape[0])).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # keys last, where the sum is fastest
    return torch.mul(weights.unsqueeze(-2), values.mT.unsqueeze(-3)).sum(dim=-1)
