# attn-kata: cross-cache
from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class MemoryView(NamedTuple):
    """Owned by the caller, never written to after construction."""

    k_t: Tensor  # (batch, heads, head_dim, memory): already transposed for the product
    v: Tensor  # (batch, heads, memory, head_dim)
    penalty: Tensor  # (batch, 1, 1, memory): 0 or -inf


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.wkv = nn.Parameter(torch.randn(hidden_dim, 2 * hidden_dim) * hidden_dim**-0.5)
        self.wo = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)

    def _open(self, memory: Tensor, lengths: Tensor) -> MemoryView:
        b, s, _ = memory.shape
        kv = (memory @ self.wkv).view(b, s, 2, self.num_heads, self.head_dim)
        k_t = kv[:, :, 0].permute(0, 2, 3, 1).contiguous()
        v = kv[:, :, 1].permute(0, 2, 1, 3).contiguous()
        penalty = memory.new_zeros(b, 1, 1, s)
        for row, n in enumerate(lengths.tolist()):
            penalty[row, :, :, int(n) :] = -math.inf
        return MemoryView(k_t, v, penalty)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        view = self._open(memory, memory_lengths) if cache is None else cache
        b, t, c = x.shape
        q = (x @ self.wq).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        scores = q @ view.k_t / math.sqrt(self.head_dim) + view.penalty
        y = scores.softmax(-1) @ view.v
        return y.transpose(1, 2).reshape(b, t, c) @ self.wo, view
