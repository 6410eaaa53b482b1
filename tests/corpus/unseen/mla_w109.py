from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class LatentCache:
    latent: Tensor      # (batch, positions, latent_dim)
    rope_key: Tensor    # (batch, positions, rope_dim), rotated

    @property
    def size(self) -> int:
        return self.latent.shape[1]

    def followed_by(self, latent: Tensor, rope_key: Tensor) -> LatentCache:
        return LatentCache(
            torch.cat([self.latent, latent], dim=1), torch.cat([self.rope_key, rope_key], dim=1)
        )


def rotated(states: Tensor, start: int) -> Tensor:
    """states (batch, length, ..., rope_dim)"""
    length, width = states.shape[1], states.shape[-1]
    position = torch.arange(start, start + length, device=states.device, dtype=torch.float64)
    exponent = torch.arange(0, width, 2, device=states.device, dtype=torch.float64) / width
    angle = position[:, None] * torch.pow(10000.0, -exponent)
    while angle.dim() < states.dim() - 1:
        angle = angle.unsqueeze(1)
    cos, sin = angle.cos().to(states.dtype), angle.sin().to(states.dtype)
    first, second = states.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(latent_dim, rope_dim)
        self.up = nn.Linear(latent_dim, num_heads * 2 * head_dim)
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x: Tensor, cache: LatentCache | None = None) -> tuple[Tensor, LatentCache]:
        start = cache.size if cache is not None else 0
        latent = self.down(x)
        rope_key = rotated(self.key_rope(latent), start)
        fresh = LatentCache(latent, rope_key)
        cache = fresh if cache is None else cache.followed_by(latent, rope_key)

        query = self.query(x).unflatten(-1, (self.heads, self.head_dim + self.rope_dim))
        content, rope = query.split([self.head_dim, self.rope_dim], dim=-1)
        rope = rotated(rope, start)
        key, value = self.up(cache.latent).unflatten(-1, (self.heads, 2, self.head_dim)).unbind(3)

        scores = torch.einsum("bqhd,bkhd->bhqk", content, key)
        scores = scores + torch.einsum("bqhr,bkr->bhqk", rope, cache.rope_key)
        scores = scores / (self.head_dim + self.rope_dim) ** 0.5
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(start + 1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        context = torch.einsum("bhqk,bkhd->bqhd", weights, value)
        return self.output(context.flatten(2)), cache
