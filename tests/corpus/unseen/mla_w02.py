# attn-kata: mla
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Stores the latent and the raw rotary key of each position; rotation happens on read."""

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.kv_up = nn.Linear(latent_dim, 2 * num_heads * head_dim)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim)

    def _rotate(self, t: Tensor, offset: int) -> Tensor:
        length, half = t.size(-2), self.rope_dim // 2
        index = torch.arange(half, dtype=torch.float32, device=t.device)
        position = torch.arange(length, dtype=torch.float32, device=t.device) + offset
        angle = position.unsqueeze(1) / 10000.0 ** (2 * index / self.rope_dim)
        cos, sin = angle.cos().type_as(t), angle.sin().type_as(t)
        left, right = t.split(half, dim=-1)
        return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        batch, length, _ = x.shape
        latent, raw_key = self.kv_down(x), self.key_rope(x)
        past = 0
        if cache is not None:
            past = cache[0].size(1)
            latent = torch.cat((cache[0], latent), dim=1)
            raw_key = torch.cat((cache[1], raw_key), dim=1)
        total = past + length

        query = self.q_proj(x).view(batch, length, self.num_heads, -1).transpose(1, 2)
        q_content, q_rope = query.split((self.head_dim, self.rope_dim), dim=-1)
        q_rope = self._rotate(q_rope, past)
        k_rope = self._rotate(raw_key, past).unsqueeze(1)

        up = self.kv_up(latent).view(batch, total, 2, self.num_heads, self.head_dim)
        k_content, value = up.permute(2, 0, 3, 1, 4)
        scores = q_content @ k_content.mT + q_rope @ k_rope.mT
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        future = torch.ones(length, total, dtype=torch.bool, device=x.device).triu(past + 1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        output = (weights @ value).transpose(1, 2).reshape(batch, length, -1)
        return self.o_proj(output), (latent, raw_key)
