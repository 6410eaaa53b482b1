# wrong: cross mask-ignored line 32
import torch
from torch import nn, einsum


class CrossAttention(nn.Module):
    def __init__(self, query_dim, heads=8, dropout=0.1):
        super().__init__()
        dim_head = query_dim // heads
        inner_dim = dim_head * heads

        self.scale = dim_head ** -0.5
        self.heads = heads

        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(query_dim, inner_dim, bias=False)

        self.to_out = nn.Sequential(nn.Linear(inner_dim, query_dim))
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        h = self.heads
        q, k, v = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = (t.unflatten(-1, (h, -1)) for t in (q, k, v))

        sim = einsum('b i h d, b j h d -> b h i j', q, k) * self.scale

        if mask is not None:
            max_neg_value = -torch.finfo(sim.dtype).max
            mask = mask[:, None].to(torch.bool)
            sim.masked_fill(~mask, max_neg_value)

        attn = self.attn_drop(sim.softmax(dim=-1))
        out = einsum('b h i j, b j h d -> b i h d', attn, v).flatten(2)
        return self.to_out(out)
