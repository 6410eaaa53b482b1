from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    b, h, q, k = weights.shape
    flat = weights.reshape(b * h, q, k) @ values.reshape(b * h, k, -1)
    return flat.reshape(b, h, q, -1)


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(values.transpose(2, 3), weights.transpose(2, 3)).transpose(2, 3)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    spec = "{0}{1}qk, {0}{1}kd -> {0}{1}qd".format("b", "h")
    return torch.einsum(spec, [weights, values])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    heads = weights.size(1)
    w = weights.transpose(0, 1).flatten(end_dim=1)
    v = values.transpose(0, 1).flatten(end_dim=1)
    return w.bmm(v).unflatten(0, (heads, -1)).swapaxes(0, 1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    by_key_first = weights.movedim(-1, 0).unsqueeze(-1)
    values_first = values.movedim(-2, 0).unsqueeze(-2)
    return by_key_first.multiply(values_first).sum(0)
