from __future__ import annotations

import torch
from torch import Tensor

CONTEXT_EQUATION = "bhqk,bhvd->bhqd"


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    """softmax(QKᵀ) · V with the infix operator."""
    context = weights @ values
    return context


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    context = torch.matmul(input=weights, other=values)
    return context


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    context = torch.einsum(CONTEXT_EQUATION, weights, values)
    return context


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch_heads = weights.shape[:2]
    context = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return context.unflatten(0, batch_heads)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    context = (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(dim=-2)
    return context
