# wrong: cross scale-without-sqrt line 10, cross-wrong-source line 23
import torch
from torch import nn, einsum
from einops import rearrange

class CrossAttention(nn.Module):
    def __init__(self, dim, heads = 8, dropout = 0.):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -1.
        self.to_q = nn.Linear(dim, dim, bias = False)
        self.to_k = nn.Linear(dim, dim, bias = False)
        self.to_v = nn.Linear(dim, dim, bias = False)
        self.dropout = nn.Dropout(dropout)
        self.to_out = nn.Linear(dim, dim)

    def split(self, t):
        return rearrange(t, 'b n (h d) -> b h n d', h = self.heads)

    def forward(self, query, key, value, mask = None):
        q = self.split(self.to_q(query))
        k = self.split(self.to_k(key))
        v = self.split(self.to_v(key))
        sim = einsum('b h i d, b h j d -> b h i j', q, k) * self.scale
        if mask is not None:
            sim = sim.masked_fill(rearrange(mask, 'b i j -> b () i j') == 0, -torch.finfo(sim.dtype).max)
        attn = self.dropout(sim.softmax(dim = -1))
        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        return self.to_out(rearrange(out, 'b h n d -> b n (h d)'))
