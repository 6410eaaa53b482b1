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
    context = torch.einsum("...qk,...kd->...qd", weights, values)
    return context


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads, query_length, key_length = weights.shape
    folded_weights = weights.reshape(batch * heads, query_length, key_length)
    folded_values = values.reshape(batch * heads, key_length, -1)
    context = torch.bmm(folded_weights, folded_values)
    return context.reshape(batch, heads, query_length, -1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    every_pair = torch.mul(weights.unsqueeze(-1), values.unsqueeze(-3))
    context = torch.sum(every_pair, dim=-2, dtype=torch.float32)
    return context
