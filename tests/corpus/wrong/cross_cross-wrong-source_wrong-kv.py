# wrong: cross cross-wrong-source line 20
import torch
from torch import nn, einsum


class CrossAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.1):
        super().__init__()
        self.h = heads
        self.scale = (dim // heads) ** -0.5
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, dim, bias=False)
        self.to_v = nn.Linear(dim, dim, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        h = self.h
        q = self.to_q(query)
        k, v = self.to_k(key), self.to_v(key)
        q, k, v = (t.reshape(t.shape[0], t.shape[1], h, -1) for t in (q, k, v))
        sim = einsum('b i h d, b j h d -> b h i j', q, k) * self.scale
        if mask is not None:
            sim.masked_fill_(mask[:, None] == 0, -torch.finfo(sim.dtype).max)
        attn = self.attn_dropout(sim.softmax(dim=-1))
        out = einsum('b h i j, b j h d -> b i h d', attn, v)
        return self.to_out(out.flatten(2))
