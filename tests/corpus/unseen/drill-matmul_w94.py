from __future__ import annotations

import torch
from torch import Tensor


def fold(t: Tensor) -> Tensor:
    return t.reshape(-1, *t.shape[-2:])


def unfold(t: Tensor, batch: int, heads: int) -> Tensor:
    return t.view(heads, batch, *t.shape[-2:]).transpose(0, 1)


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...ij,...jd->...id", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads = weights.shape[:2]
    context = torch.bmm(fold(weights), fold(values))
    return unfold(context, batch, heads)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(dim=-2)
