from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.query_content = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def _rotate(self, t: Tensor, positions: Tensor) -> Tensor:
        pair = torch.arange(self.rope_dim // 2, device=t.device, dtype=torch.float64)
        angle = positions[:, None] * 10000 ** (-2 * pair / self.rope_dim)
        cos, sin = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        left, right = t.chunk(2, dim=-1)
        return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        batch, length, _ = x.shape
        heads, d = self.num_heads, self.head_dim

        past = cache["latent"].shape[1] if cache is not None else 0
        positions = torch.arange(length, device=x.device)

        # queries
        q_c = self.query_content(x).view(batch, length, heads, d).transpose(1, 2)
        q_r = self.query_rope(x).view(batch, length, heads, self.rope_dim).transpose(1, 2)
        q_r = self._rotate(q_r, past + positions)

        # what is kept
        latent = self.kv_down(x)
        k_r = self._rotate(self.key_rope(x), positions)
        if cache is not None:
            latent = torch.cat([cache["latent"], latent], dim=1)
            k_r = torch.cat([cache["k_r"], k_r], dim=1)

        # keys and values of all heads
        total = latent.shape[1]
        k_c = self.key_up(latent).view(batch, total, heads, d).permute(0, 2, 3, 1)
        v = self.value_up(latent).view(batch, total, heads, d).transpose(1, 2)

        scores = q_c @ k_c + q_r @ k_r[:, None].mT
        scores = scores / math.sqrt(d + self.rope_dim)
        mask = torch.ones(length, total, device=x.device).tril(diagonal=past)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        y = scores.softmax(dim=-1) @ v
        y = y.transpose(1, 2).reshape(batch, length, heads * d)
        return self.out(y), {"latent": latent, "k_r": k_r}
