# wrong: block norm-shared line 53
import torch
from torch import nn


class PreNorm(nn.Module):
    def __init__(self, norm, fn):
        super().__init__()
        self.norm = norm
        self.fn = fn

    def forward(self, x):
        return self.fn(self.norm(x))


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        return x + self.fn(x)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, dim=-1))
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        i = torch.arange(n, device=x.device)
        dots = dots.masked_fill(i.view(1, n) > i.view(n, 1), float("-inf"))
        out = torch.einsum("bhij,bhjd->bihd", dots.softmax(dim=-1), v)
        return self.to_out(out.reshape(b, n, d))


def FeedForward(dim, mult=4):
    return nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        norm = nn.LayerNorm(hidden_dim)
        self.layers = nn.Sequential(
            Residual(PreNorm(norm, Attention(hidden_dim, num_heads))),
            Residual(PreNorm(norm, FeedForward(hidden_dim))),
        )

    def forward(self, x):
        return self.layers(x)
