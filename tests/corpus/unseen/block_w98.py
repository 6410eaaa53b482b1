from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.norm = nn.LayerNorm(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def attend(self, u: Tensor) -> Tensor:
        B, T, C = u.shape
        q, k, v = self.qkv(u).view(B, T, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        future = torch.ones(T, T, dtype=torch.bool, device=u.device).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(B, T, C))

    def mlp(self, u: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(u)))

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attend(self.norm(x))
        return attended + self.mlp(self.norm(attended))
