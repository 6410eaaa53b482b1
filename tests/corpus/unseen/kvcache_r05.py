"""Cache as an immutable linked list of chunks; joined when it is read.

A node never changes once made, so branches of a conversation simply share their tail.
"""
import math
from typing import NamedTuple, Optional

import torch
from torch import nn


class Chunk(NamedTuple):
    k: torch.Tensor
    v: torch.Tensor
    prev: Optional["Chunk"]

    def joined(self):
        ks, vs, node = [], [], self
        while node is not None:
            ks.append(node.k)
            vs.append(node.v)
            node = node.prev
        return torch.cat(ks[::-1], dim=-2), torch.cat(vs[::-1], dim=-2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh, self.hd = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.nh, self.hd).permute(2, 0, 3, 1, 4)
        cache = Chunk(k, v, cache)
        keys, values = cache.joined()
        s = keys.size(-2)
        seen_until = torch.arange(s - t, s, device=x.device)[:, None]
        future = torch.arange(s, device=x.device)[None, :] > seen_until
        w = q @ keys.transpose(-1, -2) / math.sqrt(self.hd)
        w = w.masked_fill(future, -math.inf).softmax(dim=-1)
        return self.proj((w @ values).transpose(1, 2).reshape(b, t, c)), cache
