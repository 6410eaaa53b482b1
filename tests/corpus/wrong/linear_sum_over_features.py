# wrong: linear linear-wrong-axis line 26
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _phi(x: Tensor) -> Tensor:
    return F.elu(x if x.dtype == torch.float64 else x.float()) + 1


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype, query, key = query.dtype, _phi(query), _phi(key)
    value = value.to(key.dtype)
    state = key.mT @ value
    total = key.sum(dim=-2, keepdim=True)
    return (query @ state / (query @ total.mT)).to(dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype, query, key = query.dtype, _phi(query), _phi(key)
    value = value.to(key.dtype)
    outer = key.unsqueeze(-1) * value.unsqueeze(-2)
    # running sums over the positions
    state = outer.cumsum(dim=-2)
    total = key.cumsum(dim=-2)
    above = torch.einsum("bhld,bhlde->bhle", query, state)
    below = torch.einsum("bhld,bhld->bhl", query, total)
    return (above / below.unsqueeze(-1)).to(dtype)
