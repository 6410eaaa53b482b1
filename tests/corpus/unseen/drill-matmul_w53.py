from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch_and_heads = weights.shape[:2]
    product = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return product.unflatten(0, batch_and_heads)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    products = weights[:, :, :, :, None] * values[:, :, None, :, :]
    # a long sum is kept in float32, half precision would lose too much
    return products.sum(dim=3, dtype=torch.float32)
