from functools import partial

import torch
from torch import nn


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x


class Attention(nn.Module):
    def __init__(self, dim, heads, dim_head, dropout=0.0):
        super().__init__()
        inner_dim = dim_head * heads
        self.heads = heads
        self.scale = dim_head**-0.5
        self.to_qkv = nn.Linear(dim, inner_dim * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, dim), nn.Dropout(dropout))

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (
            t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, -1)
        )
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        mask = torch.ones((n, n), device=x.device).triu_(1).bool()
        dots = dots.masked_fill(mask, -torch.finfo(dots.dtype).max)
        out = torch.einsum("bhij,bhjd->bhid", dots.softmax(dim=-1), v)
        return self.to_out(out.transpose(1, 2).flatten(2))


def FeedForward(dim, mult=4, dropout=0.0):
    return nn.Sequential(
        nn.Linear(dim, dim * mult), nn.GELU(), nn.Dropout(dropout), nn.Linear(dim * mult, dim)
    )


class TransformerBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        wrap = partial(PreNorm, dim)
        self.layers = nn.Sequential(
            Residual(wrap(Attention(dim, heads, dim // heads))), Residual(wrap(FeedForward(dim)))
        )

    def forward(self, x):
        return self.layers(x)
