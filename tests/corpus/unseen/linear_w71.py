# attn-kata: linear
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import elu


class _Features:
    """phi(q), phi(k) and the values of one call"""

    def __init__(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        wide = torch.float64 if value.dtype == torch.float64 else torch.float32
        self.q = elu(query.to(wide)) + 1
        self.k = elu(key.to(wide)) + 1
        self.v = value.to(wide)
        self.dtype = value.dtype

    def weighted(self, kv: Tensor, k_sum: Tensor) -> Tensor:
        top = (self.q.unsqueeze(-2) @ kv).squeeze(-2)
        bottom = (self.q * k_sum).sum(dim=-1, keepdim=True)
        return (top / bottom).to(self.dtype)


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    f = _Features(query, key, value)
    kv = f.k.transpose(-1, -2) @ f.v
    return f.weighted(kv.unsqueeze(2), f.k.sum(dim=-2, keepdim=True))


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    f = _Features(query, key, value)
    kv = (f.k.unsqueeze(-1) * f.v.unsqueeze(-2)).cumsum(dim=-2)
    k_sum = f.k.cumsum(dim=-2)
    return f.weighted(kv, k_sum)
