# wrong: mla
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class KVLatent:
    c: Tensor
    k_rope: Tensor

    @property
    def length(self) -> int:
        return self.c.size(1)


class Rotary:
    def __init__(self, dim: int) -> None:
        self.dim = dim

    def __call__(self, x: Tensor, start: int) -> Tensor:
        n = x.size(-2)
        i = torch.arange(self.dim // 2, device=x.device, dtype=torch.float64)
        a = torch.arange(start, start + n, device=x.device, dtype=torch.float64).outer(10000.0 ** (-2 * i / self.dim))
        cos, sin = a.cos().to(x.dtype), a.sin().to(x.dtype)
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.rotary = Rotary(rope_dim)
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x: Tensor, cache: KVLatent | None = None) -> tuple[Tensor, KVLatent]:
        B, T, _ = x.shape
        H, D, R = self.num_heads, self.head_dim, self.rope_dim
        past = cache.length if cache is not None else 0

        latent = self.kv_down(x)
        k_rope = self.rotary(self.key_rope(x), past)
        if cache is not None:
            latent = torch.cat([cache.c, latent], dim=1)
            k_rope = torch.cat([cache.k_rope, k_rope], dim=1)
        S = latent.size(1)

        k = self.key_up(latent).view(B, S, H, D).transpose(1, 2)
        k_rope_heads = k_rope.repeat(H, 1, 1).view(B, H, S, R)
        k = torch.cat([k, k_rope_heads], dim=-1)
        v = self.value_up(latent).view(B, S, H, D).transpose(1, 2)

        q = self.query(x).view(B, T, H, D + R).transpose(1, 2)
        q = torch.cat([q[..., :D], self.rotary(q[..., D:], past)], dim=-1)

        scores = q @ k.transpose(-2, -1) / math.sqrt(D + R)
        causal = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(past)
        probs = scores.masked_fill(~causal, float("-inf")).softmax(-1)
        out = (probs @ v).transpose(1, 2).contiguous().view(B, T, H * D)
        return self.out(out), KVLatent(latent, k_rope)
