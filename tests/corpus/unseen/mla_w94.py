from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def rope(t: Tensor, first: int) -> Tensor:
    """t (batch, length, ..., rope_dim), rotated as positions first, first + 1, ..."""
    n, r = t.shape[1], t.shape[-1]
    rate = 10000.0 ** (-torch.arange(0, r, 2, device=t.device, dtype=torch.float32) / r)
    angle = torch.arange(first, first + n, device=t.device, dtype=torch.float32)[:, None] * rate
    angle = angle.view(n, *[1] * (t.dim() - 3), r // 2)
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    a, b = t.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def _extend(self, x: Tensor, cache: Any) -> tuple[Tensor, Tensor]:
        latent, shared = self.kv_down(x), self.key_rope(x)
        if cache is not None:
            latent = torch.cat([cache[0], latent], dim=1)
            shared = torch.cat([cache[1], shared], dim=1)
        return latent, rope(shared, 0)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        n = x.shape[1]
        latent, shared = self._extend(x, cache)
        m = latent.shape[1]
        q = self.query(x).unflatten(-1, (self.h, self.d + self.r))
        q_c, q_r = q.split([self.d, self.r], dim=-1)
        q_r = rope(q_r, m - n)
        k = self.key_up(latent).unflatten(-1, (self.h, self.d))
        v = self.value_up(latent).unflatten(-1, (self.h, self.d))
        scores = torch.einsum("bihd,bjhd->bhij", q_c, k) + torch.einsum("bihr,bjr->bhij", q_r, shared)
        scores = scores / math.sqrt(self.d + self.r)
        late = torch.ones(n, m, dtype=torch.bool, device=x.device).triu(m - n + 1)
        w = scores.masked_fill(late, float("-inf")).softmax(-1)
        return self.out(torch.einsum("bhij,bjhd->bihd", w, v).flatten(2)), (latent, shared)
