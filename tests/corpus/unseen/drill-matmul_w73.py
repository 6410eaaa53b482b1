from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...qk,...kd->...qd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    lead = weights.shape[:-2]
    out = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return out.unflatten(0, lead)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    w = weights[..., None]  # b h q k 1
    v = values[:, :, None]  # b h 1 k d
    return torch.sum(w * v, dim=2)
