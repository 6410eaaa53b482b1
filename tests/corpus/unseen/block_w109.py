import torch
from torch import nn, einsum


class PreNormResidual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        x = self.norm(x)
        return self.fn(x) + x


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = map(lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2), self.to_qkv(x).chunk(3, dim=-1))
        sim = einsum("b h i d, b h j d -> b h i j", q * self.scale, k)
        mask = torch.ones((n, n), device=x.device, dtype=torch.bool).triu(1)
        attn = sim.masked_fill(mask, -torch.finfo(sim.dtype).max).softmax(dim=-1)
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(out.transpose(1, 2).flatten(2))


def FeedForward(dim, mult=4):
    return nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.layers = nn.Sequential(
            PreNormResidual(hidden_dim, Attention(hidden_dim, num_heads)),
            PreNormResidual(hidden_dim, FeedForward(hidden_dim)),
        )

    def forward(self, x):
        return self.layers(x)
