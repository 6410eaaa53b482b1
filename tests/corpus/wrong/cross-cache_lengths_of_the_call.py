# wrong: cross-cache memory-read-again line 30
# fair: memory-read-again 31
import math

import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.wq = nn.Linear(embed_dim, embed_dim)
        self.wk = nn.Linear(embed_dim, embed_dim)
        self.wv = nn.Linear(embed_dim, embed_dim)
        self.wo = nn.Linear(embed_dim, embed_dim)

    def split_heads(self, t):
        return t.view(*t.shape[:-1], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            k = self.split_heads(self.wk(memory))
            v = self.split_heads(self.wv(memory))
        else:
            k, v = cache
        q = self.split_heads(self.wq(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        keep = torch.arange(k.shape[-2], device=k.device)[None, :] < memory_lengths[:, None]
        scores = scores.masked_fill(~keep[:, None, None, :], float("-inf"))
        out = torch.softmax(scores, -1) @ v
        out = out.transpose(1, 2).reshape(x.shape)
        return self.wo(out), (k, v)
