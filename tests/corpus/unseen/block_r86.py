import math

import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.proj = nn.Linear(width, width)

    def _heads(self, t):
        return t.view(*t.shape[:2], self.heads, self.size).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self._heads(f(x)) for f in (self.query, self.key, self.value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)
        length = x.shape[1]
        allowed = torch.tril(torch.ones(length, length, dtype=torch.bool, device=x.device))
        weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(x.shape))


class FeedForward(nn.Module):
    def __init__(self, width: int, factor: int = 4):
        super().__init__()
        self.up = nn.Linear(width, factor * width)
        self.act = nn.GELU()
        self.down = nn.Linear(factor * width, width)

    def forward(self, x):
        return self.down(self.act(self.up(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.attn = CausalAttention(hidden_dim, num_heads)
        self.ln_2 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.ffn = FeedForward(hidden_dim)

    def forward(self, x):
        normed = self.ln_1(x)
        x = x + self.attn(normed)
        return x + self.ffn(self.ln_2(x))
