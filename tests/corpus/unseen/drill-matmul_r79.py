from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    # n: sample, h: head, l: query, s: source
    return torch.einsum("nhls,nhsv->nhlv", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    lead = weights.shape[:2]
    return torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, lead)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    products = torch.mul(weights.unsqueeze(-1), values.unsqueeze(-3))
    return products.sum(dim=3)
