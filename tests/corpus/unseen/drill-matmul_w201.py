from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    b, h, q, k = weights.shape
    return torch.bmm(weights.reshape(b * h, q, k), values.reshape(b * h, k, -1)).view(b, h, q, -1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # products of halves are rounded one by one, so multiply and add in single precision
    w = weights.float()[..., None]
    v = values.float()[..., None, :, :]
    return (w * v).sum(dim=-2).to(values.dtype)
