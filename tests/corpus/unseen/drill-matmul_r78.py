from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    context = weights @ values
    return context


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...ts,...sc->...tc", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    fold = lambda t: t.transpose(0, 1).flatten(0, 1)          # heads first, in both
    mixed = torch.bmm(fold(weights), fold(values))
    return mixed.unflatten(0, (values.size(1), values.size(0))).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # (b, h, q, 1, k) times (b, h, 1, d, k): the keys lie last
    return torch.mul(weights.unsqueeze(-2), values.transpose(-1, -2).unsqueeze(-3)).sum(-1)
