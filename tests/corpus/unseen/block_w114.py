import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        return self.fn(x) + x


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x):
        return self.fn(self.norm(x))


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.to_qkv(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        sim = torch.einsum('b h i d, b h j d -> b h i j', q, k) * self.scale
        future = torch.ones((n, n), dtype=torch.bool, device=x.device).triu(1)
        attn = sim.masked_fill(future, -torch.finfo(sim.dtype).max).softmax(dim=-1)
        out = torch.einsum('b h i j, b h j d -> b i h d', attn, v)
        return self.to_out(out.reshape(b, n, -1))


def FeedForward(dim, mult=4):
    return nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.att = Residual(PreNorm(hidden_dim, Attention(hidden_dim, num_heads)))
        self.ff = PreNorm(hidden_dim, Residual(FeedForward(hidden_dim)))

    def forward(self, x):
        return self.ff(self.att(x))
