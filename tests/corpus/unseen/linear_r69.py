from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def phi(x: Tensor) -> Tensor:
    return F.elu(x, alpha=1.0).add(1)


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    # a column of ones behind the values: the normaliser comes out of the same product
    wide = F.pad(value, (0, 1), value=1.0)
    state = torch.einsum("bhkd,bhkv->bhdv", phi(key), wide)
    both = torch.einsum("bhqd,bhdv->bhqv", phi(query), state)
    return both[..., :-1] / both[..., -1:]


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    wide = F.pad(value, (0, 1), value=1.0)
    rows = []
    for feature in range(value.shape[-1] + 1):
        states = (k * wide[..., feature, None]).cumsum(-2)
        rows.append((q * states).sum(-1))
    *top, bottom = rows
    return torch.stack(top, -1) / bottom.unsqueeze(-1)
