from __future__ import annotations

import torch
from torch import Tensor, nn


class Rotary:
    """Half-split rotary embedding for (batch, heads, length, head_dim)."""

    def __init__(self, head_dim: int, base: float) -> None:
        self.half = head_dim // 2
        self.base = base

    def __call__(self, states: Tensor, first: int) -> Tensor:
        position = torch.arange(states.shape[2], device=states.device, dtype=torch.float64) + first
        pair = torch.arange(self.half, device=states.device, dtype=torch.float64)
        angle = position[:, None] * self.base ** (-pair / self.half)
        cos, sin = angle.cos().to(states.dtype), angle.sin().to(states.dtype)
        turned = states.clone()
        upper, lower = turned[..., : self.half], turned[..., self.half :]
        turned[..., : self.half] = upper * cos - lower * sin
        turned[..., self.half :] = lower * cos + upper * sin
        return turned


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.groups = num_heads // num_kv_heads
        self.query = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.output = nn.Linear(num_heads * self.head_dim, hidden_dim)
        self.rotary = Rotary(self.head_dim, base)

    def _heads(self, projected: Tensor) -> Tensor:
        return projected.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor, cache: dict | None = None) -> tuple[Tensor, dict]:
        past = cache["key"].shape[2] if cache else 0
        query = self.rotary(self._heads(self.query(x)), past)
        key = self.rotary(self._heads(self.key(x)), past)
        value = self._heads(self.value(x))
        if cache:
            key = torch.cat([cache["key"], key], dim=2)
            value = torch.cat([cache["value"], value], dim=2)
        new_cache = {"key": key, "value": value}

        query = query.unflatten(1, (-1, self.groups))                      # b kv g t d
        scores = query @ key.unsqueeze(2).mT / self.head_dim ** 0.5        # b kv g t s
        hidden = torch.ones(scores.shape[-2:], device=x.device, dtype=torch.bool).triu(past + 1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        context = (weights @ value.unsqueeze(2)).flatten(1, 2)
        return self.output(context.transpose(1, 2).flatten(2)), new_cache
