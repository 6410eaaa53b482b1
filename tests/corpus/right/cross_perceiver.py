# right: cross
import torch
from torch import nn, einsum
from einops import rearrange, repeat

def default(v, d):
    return v if v is not None else d

class CrossAttention(nn.Module):
    def __init__(self, query_dim, context_dim = None, heads = 8, dim_head = None, dropout = 0.):
        super().__init__()
        context_dim = default(context_dim, query_dim)
        dim_head = default(dim_head, query_dim // heads)
        inner_dim = dim_head * heads
        self.scale = dim_head ** -0.5
        self.heads = heads

        self.to_q = nn.Linear(query_dim, inner_dim, bias = False)
        self.to_kv = nn.Linear(context_dim, inner_dim * 2, bias = False)
        self.dropout = nn.Dropout(dropout)
        self.to_out = nn.Linear(inner_dim, query_dim)

    def forward(self, x, context = None, mask = None):
        h = self.heads
        q = self.to_q(x)
        context = default(context, x)
        k, v = self.to_kv(context).chunk(2, dim = -1)
        q, k, v = map(lambda t: rearrange(t, 'b n (h d) -> b h n d', h = h), (q, k, v))

        sim = einsum('b h i d, b h j d -> b h i j', q, k) * self.scale
        if mask is not None:
            mask = repeat(mask, 'b i j -> b h i j', h = h)
            sim.masked_fill_(mask == 0, -torch.finfo(sim.dtype).max)
        attn = self.dropout(sim.softmax(dim = -1))

        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        return self.to_out(rearrange(out, 'b h n d -> b n (h d)'))
