# attn-kata: cross-cache
# Hot path: one gemm for the queries, in-place ops on what this call owns.
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim must be divisible by num_heads")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.inv_sqrt_d = self.head_dim**-0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _prefill(self, memory: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        b, s, _ = memory.shape
        kv = self.kv_proj(memory).view(b, s, 2, self.num_heads, self.head_dim)
        k, v = kv[:, :, 0], kv[:, :, 1]
        visible = torch.arange(s, device=memory.device)[None, :] < lengths[:, None]
        return k.transpose(1, 2), v.transpose(1, 2), visible[:, None, None, :]

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        if cache is None:
            cache = self._prefill(memory, memory_lengths)
        k, v, visible = cache
        b, t, c = x.shape
        q = self.q_proj(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.mul_(self.inv_sqrt_d)
        s = torch.matmul(q, k.transpose(2, 3))
        s.masked_fill_(~visible, float("-inf"))
        p = s.softmax(dim=-1)
        y = torch.matmul(p, v).transpose(1, 2).reshape(b, t, c)
        return self.o_proj(y), cache
