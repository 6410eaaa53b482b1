# attn-kata: drill-matmul
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
    b, h, q, k = weights.size()
    d = values.size(-1)
    out = torch.bmm(weights.reshape(b * h, q, k), values.reshape(b * h, k, d))
    return out.view(b, h, q, d)


# 先广播相乘，再对 key 求和
def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    w = weights.unsqueeze(-1)      # (b, h, q, k, 1)
    v = values.unsqueeze(2)        # (b, h, 1, k, d)
    return (w * v).sum(dim=2)
