from __future__ import annotations

import torch
from torch import Tensor, einsum


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # (Vᵀ Wᵀ)ᵀ, for the fun of it
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    rows = torch.matmul(weights.unsqueeze(-2), values.unsqueeze(2))  # one (1, k) · (k, d) per query
    return rows.squeeze(-2)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return einsum("zyst,zytu->zysu", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    lead = weights.shape[:2]
    return weights.flatten(0, 1).bmm(values.flatten(0, 1)).unflatten(0, lead)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    by_key_last = values.transpose(-2, -1).unsqueeze(-3)  # (b, h, 1, d, k)
    return torch.sum(torch.mul(weights.unsqueeze(-2), by_key_last), dim=-1)
