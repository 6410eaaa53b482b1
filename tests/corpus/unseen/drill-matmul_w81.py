from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("bhst,bgtd->bhsd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    lead = weights.shape[:2]
    product = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return product.unflatten(0, lead)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return (weights[..., None] * values[:, :, None]).sum(dim=-2)
