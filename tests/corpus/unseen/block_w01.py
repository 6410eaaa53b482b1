# attn-kata: block
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(self.head_dim)
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(b, t, c))


class FeedForward(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.act = nn.GELU()
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.act(self.up(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.attention = SelfAttention(hidden_dim, num_heads)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.mlp = FeedForward(hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm_1(x)
        x = x + self.attention(x)
        return x + self.mlp(self.norm_2(x))
