from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


def angles(first: int, count: int, dim: int, device) -> Tensor:
    place = torch.arange(first, first + count, dtype=torch.float32, device=device)
    rate = 10000 ** (-torch.arange(0, dim, 2, dtype=torch.float32, device=device) / dim)
    return place[:, None] * rate


def rotate(u: Tensor, theta: Tensor) -> Tensor:
    a, b = u.chunk(2, dim=-1)
    cos, sin = theta.cos().to(u.dtype), theta.sin().to(u.dtype)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.q_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.q_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.k_rope = nn.Linear(hidden_dim, rope_dim)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def fold(self, t: Tensor) -> Tensor:
        """(batch, length, heads * width) to (batch * heads, length, width)"""
        return t.unflatten(2, (self.num_heads, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, x: Tensor, cache=None):
        b, t, _ = x.shape
        past = cache[0].size(1) if cache is not None else 0
        theta = angles(past, t, self.rope_dim, x.device)
        latent = self.kv_down(x)
        rope_key = rotate(self.k_rope(x), theta)
        if cache is not None:
            latent = torch.cat([cache[0], latent], dim=1)
            rope_key = torch.cat([cache[1], rope_key], dim=1)
        s = latent.size(1)

        shared = rope_key.repeat_interleave(self.num_heads, dim=0)
        rope_scores = torch.bmm(rotate(self.fold(self.q_rope(x)), theta), shared.transpose(1, 2))
        scale = (self.head_dim + self.rope_dim) ** -0.5
        content_query, content_key = self.fold(self.q_content(x)), self.fold(self.k_up(latent))
        scores = torch.baddbmm(rope_scores, content_query, content_key.transpose(1, 2), alpha=scale)

        row = torch.arange(past, s, device=x.device).unsqueeze(1)
        scores = scores.masked_fill(torch.arange(s, device=x.device) > row, float("-inf"))
        context = torch.bmm(scores.softmax(dim=-1), self.fold(self.v_up(latent)))
        context = context.unflatten(0, (b, self.num_heads)).transpose(1, 2).flatten(2)
        return self.out(context), (latent, rope_key)
