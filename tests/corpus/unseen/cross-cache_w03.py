# attn-kata: cross-cache
from collections import namedtuple

import torch
import torch.nn.functional as F
from torch import nn, einsum
from einops import rearrange

Kept = namedtuple("Kept", "k memory pad")


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t):
        return rearrange(t, "b n (h d) -> b h n d", h=self.h)

    def forward(self, x, memory, memory_lengths, cache=None):
        q = self.heads(self.to_q(x))
        if cache is None:
            places = torch.arange(memory.shape[1], device=memory.device)
            pad = rearrange(places[None] >= memory_lengths[:, None], "b s -> b 1 1 s")
            cache = Kept(self.heads(self.to_k(memory)), memory, pad)
        v = self.heads(self.to_v(cache.memory))
        sim = einsum("b h i d, b h j d -> b h i j", q, cache.k) * q.shape[-1] ** -0.5
        attn = F.softmax(sim.masked_fill(cache.pad, -torch.inf), dim=-1)
        out = rearrange(einsum("b h i j, b h j d -> b h i d", attn, v), "b h n d -> b n (h d)")
        return self.to_out(out), cache
