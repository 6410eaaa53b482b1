import math
import torch
from torch import nn


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.g = nn.Parameter(torch.ones(dim))
        self.fn = fn

    def forward(self, x):
        mu = x.mean(-1, keepdim=True)
        sd = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
        return self.fn((x - mu) * sd * self.g)


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        return torch.add(x, self.fn(x))


class Attn(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (t.reshape(b, n, self.heads, -1).movedim(2, 1) for t in self.to_qkv(x).tensor_split(3, dim=-1))
        sim = q @ k.mT * q.size(-1) ** -0.5
        sim = sim + torch.full((n, n), -torch.inf, device=x.device, dtype=sim.dtype).triu(1)
        return self.to_out((sim.softmax(-1) @ v).movedim(1, 2).reshape(b, n, c))


class ExactGelu(nn.Module):
    def forward(self, z):
        return 0.5 * z * (1 + torch.erf(z / math.sqrt(2)))


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim, num_heads):
        mlp = nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), ExactGelu(), nn.Linear(4 * hidden_dim, hidden_dim))
        super().__init__(
            Residual(PreNorm(hidden_dim, Attn(hidden_dim, num_heads))),
            Residual(PreNorm(hidden_dim, mlp)),
        )
