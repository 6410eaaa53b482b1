from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("BNTS,BKSH->BNTH", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    (B, N, T, S), H = weights.shape, values.shape[-1]
    out = torch.bmm(weights.reshape(B * N, T, S), values.reshape(B * N, S, H))
    return out.reshape(B, N, T, H)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return torch.sum(weights[..., :, :, None] * values[..., None, :, :], dim=-2)
