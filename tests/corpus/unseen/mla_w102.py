from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class Rotary:
    def __init__(self, dim: int, theta: float = 10000.0) -> None:
        self.dim, self.theta = dim, theta

    def __call__(self, t: Tensor, positions: Tensor) -> Tensor:
        """t: (batch, length, ..., dim)"""
        frequency = self.theta ** (-torch.arange(0, self.dim, 2, device=t.device).float() / self.dim)
        angle = positions.float()[:, None] * frequency
        while angle.dim() < t.dim() - 1:
            angle = angle.unsqueeze(1)
        cos, sin = torch.cos(angle).to(t.dtype), torch.sin(angle).to(t.dtype)
        left, right = t.chunk(2, dim=-1)
        return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        self.scale = (head_dim + rope_dim) ** -0.5
        self.rotary = Rotary(rope_dim)
        self.query_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        past = cache[0].size(1) if cache else 0
        total = past + x.size(1)
        positions = torch.arange(past, total, device=x.device)
        latent, key_rope = self.kv_down(x), self.rotary(self.key_rope(x), positions)
        if cache:
            latent, key_rope = (torch.cat(pair, dim=1) for pair in zip(cache, (latent, key_rope)))

        heads = (self.num_heads, -1)
        query_content = self.query_content(x).unflatten(-1, heads) * self.scale
        query_rope = self.rotary(self.query_rope(x).unflatten(-1, heads), positions)
        key = self.key_up(latent).unflatten(-1, heads)
        value = self.value_up(latent).unflatten(-1, heads)
        scores = torch.einsum("bqhd,bkhd->bhqk", query_content, key)
        scores = scores + torch.einsum("bqhr,bkr->bhqk", query_rope, key_rope)
        hidden = torch.arange(total, device=x.device) > positions[:, None]
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        context = torch.einsum("bhqk,bkhd->bqhd", weights, value)
        return self.out(context.flatten(2)), (latent, key_rope)
