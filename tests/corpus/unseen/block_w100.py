import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, h):
        mu = h.mean(-1, keepdim=True)
        sigma = (h - mu).pow(2).mean(-1, keepdim=True).sqrt()
        return self.gamma * (h - mu) / (sigma + self.eps) + self.beta


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = [nn.Linear(width, width) for _ in range(4)]

    def forward(self, h):
        n = h.size(1)
        q, k, v = [f(h).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v)]
        s = q @ k.mT * q.size(-1) ** -0.5
        s = s.masked_fill(~torch.ones(n, n, dtype=torch.bool, device=h.device).tril(), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.norm_1 = LayerNorm(hidden_dim)
        self.norm_2 = LayerNorm(hidden_dim)
        self.attention = Attention(hidden_dim, num_heads)
        self.mlp = nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim))

    def forward(self, x):
        attended = x + self.attention(self.norm_1(x))
        return attended + self.mlp(self.norm_2(attended))
