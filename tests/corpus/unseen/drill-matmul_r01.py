# attn-kata: drill-matmul
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
    folded = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return folded.unflatten(0, weights.shape[:2])


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return (weights[..., None] * values[:, :, None]).sum(-2)
