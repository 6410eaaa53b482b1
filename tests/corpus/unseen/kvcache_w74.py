# attn-kata: kvcache
import math

import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    """Prefill (no cache) and decode (cache) share everything but the mask."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def split(self, seqs):
        return seqs.unflatten(-1, (self.n_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x, cache=None):
        q, k, v = self.split(self.to_q(x)), self.split(self.to_k(x)), self.split(self.to_v(x))
        if cache is not None:
            k = torch.cat([cache["keys"], k], dim=-2)
            v = torch.cat([cache["values"], v], dim=-2)
        n_new, n_all = q.shape[-2], k.shape[-2]

        sim = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        if cache is None:
            future = torch.ones(n_new, n_all, dtype=torch.bool, device=x.device)
            future = future.triu(n_all - n_new + 1)
            sim = sim.masked_fill(future, float("-inf"))
        weights = sim.softmax(dim=-1)

        out = torch.matmul(weights, v).transpose(1, 2).flatten(2)
        return self.to_out(out), {"keys": k, "values": v}
