# wrong: block norm-eps line 16
import torch
from torch import nn, einsum


class LayerNorm(nn.Module):
    def __init__(self, dim, eps = 1e-5):
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.ones(dim))
        self.b = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        std = x.var(dim = -1, unbiased = False, keepdim = True).sqrt()
        mean = x.mean(dim = -1, keepdim = True)
        return (x - mean) / (std + self.eps) * self.g + self.b


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = LayerNorm(dim)

    def forward(self, x):
        return self.fn(self.norm(x))


def FeedForward(dim, mult = 4):
    return nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim))


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias = False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.heads
        q, k, v = (t.unflatten(-1, (h, -1)) for t in self.to_qkv(x).chunk(3, dim = -1))
        sim = einsum('b i h d, b j h d -> b h i j', q * self.scale, k)
        i, j = sim.shape[-2:]
        mask = torch.ones((i, j), device = x.device, dtype = torch.bool).triu(1)
        attn = sim.masked_fill(mask, -torch.finfo(sim.dtype).max).softmax(dim = -1)
        out = einsum('b h i j, b j h d -> b i h d', attn, v)
        return self.to_out(out.flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.attn = PreNorm(hidden_dim, Attention(hidden_dim, num_heads))
        self.ff = PreNorm(hidden_dim, FeedForward(hidden_dim))

    def forward(self, x):
        x = self.attn(x) + x
        x = self.ff(x) + x
        return x
