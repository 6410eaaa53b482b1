from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def rope(t: Tensor, first: int) -> Tensor:
    """Rotate (batch, length, ..., rope_dim); position `first` is that of t[:, 0]."""
    half = t.shape[-1] // 2
    steps = torch.arange(first, first + t.shape[1], dtype=torch.float64, device=t.device)
    freqs = 10000.0 ** (-torch.arange(half, dtype=torch.float64, device=t.device) / half)
    angle = (steps[:, None] * freqs).view(t.shape[1], *[1] * (t.dim() - 3), half)
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    a, b = t.split(half, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.heads, self.content, self.rotary, self.latent = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_up = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        old = 0 if cache is None else cache.shape[1]
        q = self.q_proj(x).unflatten(-1, (self.heads, -1))
        q_c, q_r = q.split((self.content, self.rotary), dim=-1)
        c, k_r = self.kv_down(x).split((self.latent, self.rotary), dim=-1)
        entry = torch.cat((c, rope(k_r, old)), dim=-1)
        if cache is not None:
            entry = torch.cat((cache, entry), dim=1)
        c, k_r = entry.split((self.latent, self.rotary), dim=-1)
        k_c, v = self.kv_up(c).unflatten(-1, (self.heads, -1)).chunk(2, dim=-1)
        scores = torch.einsum("bqhd,bkhd->bhqk", q_c, k_c)
        scores = scores + torch.einsum("bqhr,bkr->bhqk", rope(q_r, old), k_r)
        scores = scores / (self.content + self.rotary) ** 0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(old + 1)
        weights = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
        heads = torch.einsum("bhqk,bkhd->bqhd", weights, v)
        return self.o_proj(heads.flatten(2)), entry
