# right: cross
import torch
from einops import rearrange, repeat
from torch import nn, einsum


def default(val, d):
    return val if val is not None else d


class CrossAttention(nn.Module):
    def __init__(self, query_dim, heads=8, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.scale = (query_dim // heads) ** -0.5
        self.to_q = nn.Linear(query_dim, query_dim, bias=False)
        self.to_k = nn.Linear(query_dim, query_dim, bias=False)
        self.to_v = nn.Linear(query_dim, query_dim, bias=False)
        self.to_out = nn.Sequential(nn.Linear(query_dim, query_dim), nn.Dropout(dropout))

    def forward(self, x, context=None, mask=None):
        h = self.heads
        context = default(context, x)
        q, k, v = self.to_q(x), self.to_k(context), self.to_v(context)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> (b h) n d", h=h), (q, k, v))
        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale
        if mask is not None:
            mask = repeat(mask, "b i j -> (b h) i j", h=h)
            sim = sim.masked_fill(mask == 0, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = rearrange(einsum("b i j, b j d -> b i d", attn, v), "(b h) n d -> b n (h d)", h=h)
        return self.to_out(out)
