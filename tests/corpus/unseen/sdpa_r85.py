from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.func import vmap


def _row(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> Tensor:
    """One query, (d,), against keys (n, d)."""
    s = torch.mv(k, q) / math.sqrt(q.shape[0])
    s = torch.where(hidden, torch.finfo(s.dtype).min, s)
    w = torch.exp(s - s.amax())
    return torch.mv(v.T, w) / w.sum()


_head = vmap(_row, in_dims=(0, None, None, 0))
_heads = vmap(_head)
_batch = vmap(_heads)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    b, h, n, _ = query.shape
    m = key.shape[2]
    hidden = torch.zeros(n, m, dtype=torch.bool, device=query.device)
    if causal:
        hidden = hidden | torch.ones_like(hidden).triu(m - n + 1)
    if mask is not None:
        hidden = hidden | torch.eq(mask, 0)
    return _batch(query, key, value, hidden.broadcast_to(b, h, n, m))
