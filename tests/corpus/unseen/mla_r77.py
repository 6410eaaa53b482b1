from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Latents:
    content: Tensor  # (batch, length, latent_dim)
    rotary: Tensor   # (batch, length, rope_dim), already rotated

    def __add__(self, other: "Latents") -> "Latents":
        return Latents(
            torch.cat([self.content, other.content], dim=1),
            torch.cat([self.rotary, other.rotary], dim=1),
        )

    def __len__(self) -> int:
        return self.content.shape[1]


def rotate(t: Tensor, first: int) -> Tensor:
    """t (batch, length, ..., rope_dim); pairs are halves."""
    half = t.shape[-1] // 2
    rates = torch.tensor([10000.0 ** (-i / half) for i in range(half)], dtype=torch.float64, device=t.device)
    angle = torch.outer(torch.arange(first, first + t.shape[1], device=t.device, dtype=torch.float64), rates)
    angle = angle.view(t.shape[1], *[1] * (t.dim() - 3), half)
    cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
    a, b = t.split(half, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.key_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        past = 0 if cache is None else len(cache)
        new = Latents(self.kv_down(x), rotate(self.key_rope(x), past))
        cache = new if cache is None else cache + new

        q = self.query(x).unflatten(-1, (self.num_heads, self.head_dim + self.rope_dim))
        q_content, q_rotary = q.split([self.head_dim, self.rope_dim], dim=-1)
        up_k = self.key_up.weight.unflatten(0, (self.num_heads, self.head_dim))   # h d c
        up_v = self.value_up.weight.unflatten(0, (self.num_heads, self.head_dim))
        absorbed = torch.einsum("bthd,hdc->bthc", q_content, up_k)
        scores = torch.einsum("bthc,bsc->bhts", absorbed, cache.content)
        scores = scores + torch.einsum("bthr,bsr->bhts", rotate(q_rotary, past), cache.rotary)
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        late = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(past + 1)
        weights = scores.masked_fill(late, -math.inf).softmax(-1)
        mixed = torch.einsum("bhts,bsc->bthc", weights, cache.content)
        return self.out(torch.einsum("bthc,hdc->bthd", mixed, up_v).flatten(2)), cache
