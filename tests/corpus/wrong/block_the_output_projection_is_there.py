# wrong: block output-projection-missing line 26
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CausalAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, h: Tensor) -> Tensor:
        outputs = []
        for head in self.qkv(h).view(*h.shape[:2], 3, self.num_heads, self.head_dim).unbind(3):
            q, k, v = head.unbind(2)
            scores = q @ k.transpose(1, 2) / math.sqrt(self.head_dim)
            future = torch.ones_like(scores, dtype=torch.bool).triu(1)
            outputs.append(F.softmax(scores.masked_fill(future, -math.inf), dim=-1) @ v)
        return torch.cat(outputs, dim=-1)


class MLP(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim, bias=False)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim, bias=False)

    def forward(self, h: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(h)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden_dim, bias=False)
        self.attention = CausalAttention(hidden_dim, num_heads)
        self.norm_2 = nn.LayerNorm(hidden_dim, bias=False)
        self.mlp = MLP(hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attention(self.norm_1(x))
        return attended + self.mlp(self.norm_2(attended))
