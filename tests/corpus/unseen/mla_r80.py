import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Absorbed from the first token on: one wide query for each head against [latent | rotary key]."""

    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.h, self.d, self.r, self.c = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.down = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)       # latent and rotary key in one
        self.k_up = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.v_up = nn.Parameter(torch.randn(num_heads, latent_dim, head_dim) * latent_dim**-0.5)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def _angles(self, start: int, count: int, device: torch.device) -> Tensor:
        step = torch.logspace(0, -4, self.r // 2 + 1, dtype=torch.float64, device=device)[:-1]    # 10000^(-2i/r)
        return torch.arange(start, start + count, dtype=torch.float64, device=device).outer(step)

    @staticmethod
    def _rope(x: Tensor, angle: Tensor) -> Tensor:
        """x (..., length, rope_dim) as a sum of two products with tables twice as wide"""
        cos, sin = angle.cos().repeat(1, 2), torch.cat([-angle.sin(), angle.sin()], dim=-1)
        wide = torch.promote_types(x.dtype, torch.float32)
        y = x.to(wide)
        return (y * cos.to(wide) + y.roll(x.shape[-1] // 2, -1) * sin.to(wide)).to(x.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, _ = x.shape
        start = 0 if cache is None else cache.shape[1]
        angle = self._angles(start, t, x.device)
        content, rotary = self.q_proj(x).view(b, t, self.h, -1).transpose(1, 2).split([self.d, self.r], dim=-1)
        latent, key = self.down(x).split([self.c, self.r], dim=-1)
        new = torch.cat([latent, self._rope(key, angle)], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)

        query = torch.cat([content @ self.k_up, self._rope(rotary, angle)], dim=-1)       # (b, h, t, c + r)
        scores = torch.einsum("bhtw,bsw->bhts", query, cache) / math.sqrt(self.d + self.r)
        seen = torch.ones(t, start + t, dtype=torch.bool, device=x.device).tril(start)
        weights = scores.masked_fill(~seen, -math.inf).softmax(-1)
        mixed = torch.einsum("bhts,bsc->bhtc", weights, cache[..., : self.c]) @ self.v_up
        return self.o_proj(mixed.transpose(1, 2).flatten(2)), cache
