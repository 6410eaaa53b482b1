import math

import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """The cache is a tuple of chunks, one (k, v) per call; chunks are joined when read."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q, k, v = [t.view(B, T, self.num_heads, self.head_dim).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1)]
        chunks = (*(cache or ()), (k, v))
        keys = torch.cat([c[0] for c in chunks], dim=2)
        values = torch.cat([c[1] for c in chunks], dim=2)
        S = keys.size(2)

        scores = torch.einsum("bhtd,bhsd->bhts", q, keys) / math.sqrt(self.head_dim)
        if T > 1:
            late = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(S - T + 1)
            scores.masked_fill_(late, float("-inf"))
        y = torch.einsum("bhts,bhsd->bthd", scores.softmax(dim=-1), values)
        return self.c_proj(y.reshape(B, T, C)), chunks
