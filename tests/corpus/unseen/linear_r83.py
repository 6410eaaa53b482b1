from __future__ import annotations

import torch
from torch import Tensor


class Phi(torch.autograd.Function):
    """elu(x) + 1 is x + 1 above 0 and exp(x) below; its slope is min(φ, 1)."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        y = torch.exp(x.clamp(max=0)) + x.clamp(min=0)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        return grad * y.clamp(max=1)


def phi(x: Tensor) -> Tensor:
    return Phi.apply(x if x.dtype == torch.float64 else x.float())


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    total = k.sum(dim=-2, keepdim=True)
    # keys are made into shares of their feature's total, so the state is a mean of values
    state = (k / total).mT @ value.to(k.dtype)
    portion = q * total
    return ((portion / portion.sum(-1, keepdim=True)) @ state).to(value.dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    v = value.to(k.dtype)
    normaliser = torch.linalg.vecdot(q, k.cumsum(dim=-2)).unsqueeze(-1)
    numerator = torch.zeros_like(v)
    for feature_q, feature_k in zip(q.split(1, dim=-1), k.split(1, dim=-1)):
        # one feature at a time: running sums of (length, value_dim)
        numerator = numerator + feature_q * torch.cumsum(feature_k * v, dim=-2)
    return (numerator / normaliser).to(value.dtype)
