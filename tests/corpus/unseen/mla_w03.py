# attn-kata: mla
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class LatentCache:
    """What is remembered of each position.

    latent    (batch, length, latent_dim)
    key_rope  (batch, length, rope_dim), already rotated
    """

    latent: Tensor
    key_rope: Tensor

    def __len__(self) -> int:
        return self.latent.size(1)

    def append(self, latent: Tensor, key_rope: Tensor) -> "LatentCache":
        return LatentCache(
            latent=torch.cat([self.latent, latent], dim=1),
            key_rope=torch.cat([self.key_rope, key_rope], dim=1),
        )


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        assert rope_dim % 2 == 0, "rope_dim must be even"
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.query_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out_proj = nn.Linear(num_heads * head_dim, hidden_dim)

    def _heads(self, t: Tensor) -> Tensor:
        """(batch, length, heads * d) -> (batch, heads, length, d)"""
        return t.view(t.size(0), t.size(1), self.num_heads, -1).transpose(1, 2)

    def _rotate(self, t: Tensor, first: int) -> Tensor:
        """t: (..., length, rope_dim)"""
        half = self.rope_dim // 2
        steps = torch.arange(half, dtype=torch.float32, device=t.device)
        frequencies = torch.pow(10000.0, -2.0 * steps / self.rope_dim)
        positions = torch.arange(first, first + t.size(-2), dtype=torch.float32, device=t.device)
        angles = torch.outer(positions, frequencies)
        cos, sin = angles.cos().to(t.dtype), angles.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        batch, length, _ = x.shape
        past = 0 if cache is None else len(cache)
        latent = self.kv_down(x)
        key_rope = self._rotate(self.key_rope(x), past)
        present = LatentCache(latent, key_rope) if cache is None else cache.append(latent, key_rope)

        q_c = self._heads(self.query_content(x))
        q_r = self._rotate(self._heads(self.query_rope(x)), past)
        k_c = self._heads(self.key_up(present.latent))
        v = self._heads(self.value_up(present.latent))
        k_r = present.key_rope.unsqueeze(1)                     # (batch, 1, total, rope_dim)

        content_scores = torch.matmul(q_c, k_c.transpose(-2, -1)) / math.sqrt(self.head_dim)
        rotary_scores = torch.matmul(q_r, k_r.transpose(-2, -1)) / math.sqrt(self.rope_dim)
        scores = content_scores + rotary_scores                 # (batch, heads, length, total)

        total = len(present)
        allowed = torch.ones(length, total, dtype=torch.bool, device=x.device).tril(total - length)
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, v).transpose(1, 2).reshape(batch, length, -1)
        return self.out_proj(context), present
