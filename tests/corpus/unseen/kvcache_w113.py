import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class KVCache:
    keys: Tensor
    values: Tensor

    def append(self, k: Tensor, v: Tensor) -> "KVCache":
        self.keys = torch.cat([self.keys, k], dim=2)
        self.values = torch.cat([self.values, v], dim=2)
        return self

    @property
    def size(self) -> int:
        return self.keys.shape[2]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        cache = KVCache(k, v) if cache is None else cache.append(k, v)
        total = cache.size
        scores = q @ cache.keys.transpose(-2, -1) / math.sqrt(self.head_dim)
        visible = torch.ones(t, total, dtype=torch.bool, device=x.device).tril(total - t)
        scores = scores.masked_fill(~visible, float("-inf"))
        y = scores.softmax(dim=-1) @ cache.values
        return self.out(y.transpose(1, 2).reshape(b, t, c)), cache
