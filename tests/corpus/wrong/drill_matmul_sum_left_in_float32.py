# wrong: drill-matmul result-dtype line 29
from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("bhij,bhjd->bhid", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    lead = weights.shape[:2]
    left, right = (t.reshape(-1, *t.shape[2:]) for t in (weights, values))
    return torch.bmm(left, right).view(*lead, left.shape[1], right.shape[2])


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # half precision loses digits in long sums, so add up in float32
    products = torch.multiply(weights[..., None], values[..., None, :, :])
    return torch.sum(products, dim=-2, dtype=torch.float32)
