from __future__ import annotations

from itertools import product

import torch
from torch import Tensor


def _head(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor | None, causal: bool) -> Tensor:
    """One head of one sample: (queries, width), (keys, width), (keys, width)."""
    s = q @ k.T * k.shape[1] ** -0.5
    if allowed is not None:
        s = s.masked_fill(~allowed, -torch.inf)
    if causal:
        n_q, n_k = s.shape
        s = s + s.new_full((n_q, n_k), -torch.inf).triu(1 + n_k - n_q)
    s = s - s.max(dim=1, keepdim=True).values
    e = s.exp()
    return e @ v / e.sum(1, keepdim=True)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    b, h, n_q, _ = query.shape
    seen = None
    if mask is not None:
        seen = mask.bool().expand(b, h, n_q, key.shape[2])
    heads = [
        _head(query[i, j], key[i, j], value[i, j], None if seen is None else seen[i, j, 0], causal)
        for i, j in product(range(b), range(h))
    ]
    return torch.stack(heads).unflatten(0, (b, h))
