# attn-kata: kvcache
# Amortised growth, like Vec: capacity doubles, a push within capacity copies nothing.
from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class KvVec(NamedTuple):
    data: Tensor  # (2, batch, heads, capacity, head_dim)
    len: int

    def push(self, kv: Tensor) -> "KvVec":
        need = self.len + kv.size(3)
        data = self.data
        if need > data.size(3):
            grown = data.new_empty(*data.shape[:3], max(need, 2 * data.size(3)), data.size(4))
            grown[:, :, :, : self.len] = data[:, :, :, : self.len]
            data = grown
        data[:, :, :, self.len : need] = kv
        return KvVec(data, need)

    def view(self) -> Tensor:
        return self.data[:, :, :, : self.len]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, c = x.shape
        q = self.q_proj(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        kv = self.kv_proj(x).view(b, t, 2, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        cache = KvVec(kv.contiguous(), t) if cache is None else cache.push(kv)
        k, v = cache.view()
        total = cache.len
        scores = q @ k.transpose(-1, -2) * self.head_dim**-0.5
        keep = torch.ones(t, total, dtype=torch.bool, device=x.device).tril(total - t)
        scores = scores.masked_fill(~keep, float("-inf"))
        y = scores.softmax(dim=-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(b, t, c)), cache
