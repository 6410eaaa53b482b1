# wrong: kvcache cache-changed-in-place line 31, scale-missing line 33
# fair: cache-changed-in-place 26 30 31
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Cache:
    buffer: torch.Tensor  # (2, batch, heads, room, head_dim)
    used: int


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, n, d = x.shape
        qkv = self.qkv(x).view(b, n, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, kv = qkv[0], qkv[1:]
        if cache is None:
            cache = Cache(kv.new_zeros(2, b, self.num_heads, n + 256, self.head_dim), 0)
        end = cache.used + n
        buffer = cache.buffer
        buffer[:, :, :, cache.used:end] = kv
        k, v = buffer[0, :, :, :end], buffer[1, :, :, :end]
        scores = q @ k.transpose(-1, -2)
        mask = torch.ones(n, end, dtype=torch.bool, device=x.device).triu(cache.used + 1)
        scores = scores.masked_fill(mask, float("-inf"))
        y = (scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, d)
        return self.out(y), Cache(buffer, end)
