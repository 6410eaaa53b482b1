from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Span(NamedTuple):
    """As FlashAttention counts: keys besides the query's own."""

    left: int
    right: int = 0

    def band(self, n: int, device: torch.device) -> Tensor:
        full = torch.ones(n, n, dtype=torch.bool, device=device)
        return full.tril(self.right) & full.triu(-self.left)


def _per_head(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> Tensor:
    s = torch.baddbmm(hidden, q, k.mT, alpha=q.shape[-1] ** -0.5)
    return torch.bmm(s.softmax(dim=-1), v)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    b, h, n, d = query.shape
    kind = torch.promote_types(query.dtype, torch.float32)
    band = Span(left=min(window, n) - 1).band(n, query.device)
    hidden = torch.zeros(n, n, dtype=kind, device=query.device).masked_fill(~band, -torch.inf)
    q, k, v = (t.reshape(b * h, n, d).to(kind) for t in (query, key, value))
    return _per_head(q, k, v, hidden).view(b, h, n, d).to(query.dtype)
