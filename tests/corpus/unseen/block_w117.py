from typing import Tuple

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape: Tuple[int, ...] = (batch, length, self.num_heads, self.head_dim)
        q, k, v = (t.reshape(shape).transpose(1, 2) for t in self.in_proj(x).chunk(3, dim=-1))

        scores = (q @ k.transpose(2, 3)) / (self.head_dim**0.5)
        future = torch.triu(torch.ones_like(scores, dtype=torch.bool), diagonal=1)
        scores = scores.masked_fill(future, -torch.inf)
        context = scores.softmax(dim=-1) @ v
        return self.out_proj(context.transpose(1, 2).reshape(batch, length, width))


class FeedForward(nn.Module):
    def __init__(self, hidden_dim: int, expansion: int = 4) -> None:
        super().__init__()
        self.up_proj = nn.Linear(hidden_dim, expansion * hidden_dim)
        self.act = nn.GELU()
        self.down_proj = nn.Linear(expansion * hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(self.act(self.up_proj(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.attention = CausalSelfAttention(hidden_dim, num_heads)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.mlp = FeedForward(hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(attended))
