# attn-kata: drill-matmul
from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    context = weights @ values
    return context


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    context = torch.matmul(weights, values)
    return context


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    # b batch, h heads, n and m positions, d head_dim
    context = torch.einsum("bhmn,bhmd->bhnd", weights, values)
    return context


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch = weights.shape[0]
    heads = weights.shape[1]
    weights = weights.flatten(start_dim=0, end_dim=1)
    values = values.flatten(start_dim=0, end_dim=1)
    context = torch.bmm(weights, values)
    context = context.unflatten(0, (batch, heads))
    return context


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    weights = weights.unsqueeze(4)
    values = values.unsqueeze(2)
    context = weights * values
    context = context.sum(dim=3)
    return context
