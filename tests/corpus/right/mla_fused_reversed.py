# right: mla
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


def rope(x: Tensor, first: int) -> Tensor:
    n, d = x.shape[-2:]
    inv = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64, device=x.device) / d)
    ang = torch.arange(first, first + n, dtype=torch.float64, device=x.device)[:, None] * inv
    c, s = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x.chunk(2, -1)
    return torch.cat([a * c - b * s, b * c + a * s], -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.H, self.d, self.r, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (rope_dim + head_dim), bias=False)
        self.kv_a_proj = nn.Linear(hidden_dim, rope_dim + latent_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        B, T, _ = x.shape
        past = 0 if cache is None else cache[0].shape[1]
        q_r, q_c = self.q_proj(x).view(B, T, self.H, -1).transpose(1, 2).split([self.r, self.d], -1)
        k_r, lat = self.kv_a_proj(x).split([self.r, self.L], -1)
        q_r, k_r = rope(q_r, past), rope(k_r, past)
        if cache is not None:
            lat = torch.cat([cache[0], lat], 1)
            k_r = torch.cat([cache[1], k_r], 1)
        S = past + T
        v, k_c = self.kv_b_proj(lat).view(B, S, self.H, 2 * self.d).transpose(1, 2).chunk(2, -1)
        s = q_c @ k_c.transpose(-1, -2) + q_r @ k_r[:, None].transpose(-1, -2)
        s = s / math.sqrt(self.d + self.r)
        s = s.masked_fill(torch.ones(T, S, dtype=torch.bool, device=x.device).triu(past + 1), -torch.inf)
        y = (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, -1)
        return self.o_proj(y), (lat, k_r)
