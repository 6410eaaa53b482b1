# c_{bhqd} = A_{bhqk} v_{bhkd}
from __future__ import annotations

import torch
from torch import Tensor

B, H, Q, K, D = range(5)  # labels for the index-list form of einsum


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # (v^T A^T)^T, the same thing read from the other side
    return (values.mT @ weights.mT).mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return Tensor.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum(weights, [B, H, Q, K], values, [B, H, K, D], [B, H, Q, D])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    # heads outside, samples inside, for both; undone in the same order
    h, b = weights.shape[1], weights.shape[0]
    A = torch.cat(weights.unbind(dim=1), dim=0)
    v = torch.cat(values.unbind(dim=1), dim=0)
    return A.bmm(v).unflatten(0, (h, b)).transpose(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    acc = torch.promote_types(values.dtype, torch.float32)
    A = weights.to(acc).unsqueeze(-1)  # b h q k .
    v = values.to(acc).unsqueeze(-3)  # b h . k d
    return A.mul(v).sum(dim=-2).to(values.dtype)
