# attn-kata: mqa
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn


class MaskKey(NamedTuple):
    shape: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device


@dataclass
class AdditiveMaskCache:
    """Turns 0/1 masks into additive ones, and spares decoder stacks the repeated conversion."""

    max_entries: int = 16
    entries: dict[MaskKey, Tensor] = field(default_factory=dict)

    def __call__(self, mask: Tensor, like: Tensor) -> Tensor:
        key = MaskKey(tuple(mask.shape), like.dtype, like.device)
        if key not in self.entries:
            if len(self.entries) >= self.max_entries:
                self.entries.clear()
            self.entries[key] = self.convert(mask, like)
        return self.entries[key]

    @staticmethod
    def convert(mask: Tensor, like: Tensor) -> Tensor:
        allowed = mask.to(device=like.device, dtype=torch.bool)
        blank = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
        return blank.masked_fill(allowed.logical_not(), torch.finfo(like.dtype).min)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads: int = num_heads
        self.head_dim: int = hidden_dim // num_heads
        self.additive: Callable[[Tensor, Tensor], Tensor] = AdditiveMaskCache()

        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * self.head_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, _ = x.shape
        q = self.to_q(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        k, v = self.to_kv(x).unsqueeze(1).chunk(2, dim=-1)

        sim = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            sim = sim + self.additive(attention_mask, sim)

        out = sim.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))
