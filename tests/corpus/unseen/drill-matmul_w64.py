from __future__ import annotations

import torch
from torch import Tensor


def _acc(t: Tensor) -> Tensor:
    """Accumulate in f32: f16/bf16 operands would be rounded on the way."""
    return t.to(torch.float32)


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    out = _acc(weights) @ _acc(values)
    return out.to(values.dtype)


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("BHTS,BHSD->BHTD", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    b, h = weights.shape[0], weights.shape[1]
    out = torch.bmm(
        weights.reshape(b * h, *weights.shape[2:]),
        values.reshape(b * h, *values.shape[2:]),
    )
    return out.reshape(b, h, *out.shape[1:])


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    prod = weights.unsqueeze(-1) * values.unsqueeze(-3)
    return prod.sum(-2)
