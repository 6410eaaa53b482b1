from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def _piece(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | float) -> tuple[Tensor, Tensor]:
    z = torch.einsum("bthd,bshd->bths", q, k) + bias
    lse = z.logsumexp(-1, keepdim=True)
    return torch.einsum("bths,bshd->bthd", (z - lse).exp(), v), lse


class CachedSelfAttention(nn.Module):
    """Cascade attention: cached and new keys are attended to apart and joined by their lse."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.w_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        t = x.shape[1]
        q = self.w_q(x).unflatten(-1, (self.h, -1))
        q = q * q.shape[-1] ** -0.5
        k, v = (p.unflatten(-1, (self.h, -1)) for p in self.w_kv(x).chunk(2, -1))

        bias = x.new_full((t, t), -torch.inf).triu(1)[:, None]
        o, lse = _piece(q, k, v, bias)
        if cache is not None:
            o_old, lse_old = _piece(q, *cache, bias=0.0)
            w_old = torch.sigmoid(lse_old - lse)
            o = torch.lerp(o_old, o, w_old)
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        return self.w_o(o.flatten(2)), (k, v)
