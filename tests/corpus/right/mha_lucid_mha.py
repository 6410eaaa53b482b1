# right: mha
import torch
from torch import nn, einsum
from einops import rearrange, repeat

def exists(x):
    return x is not None

class Attention(nn.Module):
    def __init__(self, dim, heads = 8, dim_head = None, dropout = 0.):
        super().__init__()
        dim_head = dim_head if exists(dim_head) else dim // heads
        inner_dim = dim_head * heads
        self.heads = heads
        self.scale = dim_head ** -0.5

        self.attend = nn.Softmax(dim = -1)
        self.dropout = nn.Dropout(dropout)

        self.to_q = nn.Linear(dim, inner_dim, bias = False)
        self.to_kv = nn.Linear(dim, inner_dim * 2, bias = False)

        self.to_out = nn.Sequential(
            nn.Linear(inner_dim, dim),
            nn.Dropout(dropout)
        )

    def forward(self, x, mask = None, context = None):
        h = self.heads
        context = context if exists(context) else x

        q = self.to_q(x)
        k, v = self.to_kv(context).chunk(2, dim = -1)
        q, k, v = map(lambda t: rearrange(t, 'b n (h d) -> (b h) n d', h = h), (q, k, v))

        sim = einsum('b i d, b j d -> b i j', q, k) * self.scale

        if exists(mask):
            mask = mask.expand(x.shape[0], h, x.shape[1], context.shape[1])
            mask = rearrange(mask, 'b h i j -> (b h) i j').bool()
            max_neg_value = -torch.finfo(sim.dtype).max
            sim.masked_fill_(~mask, max_neg_value)

        attn = self.attend(sim)
        attn = self.dropout(attn)

        out = einsum('b i j, b j d -> b i d', attn, v)
        out = rearrange(out, '(b h) n d -> b n (h d)', h = h)
        return self.to_out(out)
