# attn-kata: cross-cache
import math

import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, memory, memory_lengths, cache=None):
        B, T, C = x.size()
        hs = C // self.n_head
        if cache is None:
            k, v = self.kv(memory).split(C, dim=2)
            k = k.view(B, -1, self.n_head, hs).transpose(1, 2)
            v = v.view(B, -1, self.n_head, hs).transpose(1, 2)
            cache = (k, v)
        k, v = cache
        pad = torch.arange(k.size(2), device=x.device)[None, :] >= memory_lengths[:, None]
        q = self.q(x).view(B, T, self.n_head, hs).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(hs)
        att = att.masked_fill(pad[:, None, None, :], float('-inf'))
        y = torch.softmax(att, dim=-1) @ v
        return self.proj(y.transpose(1, 2).contiguous().view(B, T, C)), cache
