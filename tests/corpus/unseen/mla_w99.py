from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def rope(x: Tensor, start: int) -> Tensor:
    half = x.shape[-1] // 2
    freq = 10000 ** (-torch.arange(half, device=x.device, dtype=torch.float64) / half)
    pos = torch.arange(start, start + x.shape[-2], device=x.device, dtype=torch.float64)
    ang = pos[:, None] * freq
    cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.q_content = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.q_rope = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def split(self, t: Tensor, width: int) -> Tensor:
        return t.view(*t.shape[:2], self.h, width).transpose(1, 2)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        B, T, _ = x.shape
        past = 0 if cache is None else cache[0].shape[1]

        q_c = self.split(self.q_content(x), self.d)
        q_r = rope(self.split(self.q_rope(x), self.r), past)
        latent, k_r = self.kv_down(x), rope(self.k_rope(x), past)
        if cache is not None:
            latent = torch.cat([cache[0], latent], dim=1)
            k_r = torch.cat([cache[1], k_r], dim=1)
        S = latent.shape[1]

        k_c = self.split(self.k_up(latent), self.d)
        v = self.split(self.v_up(latent), self.d)

        q = torch.cat([q_c, q_r], dim=-1)
        k = torch.cat([k_c, k_r[:, None]], dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d + self.r)
        seen = torch.ones(T, S, device=x.device).tril(S - T) == 1
        weights = torch.softmax(scores.masked_fill(~seen, float("-inf")), dim=-1)
        y = (weights @ v).transpose(1, 2).reshape(B, T, -1)
        return self.out(y), (latent, k_r)
