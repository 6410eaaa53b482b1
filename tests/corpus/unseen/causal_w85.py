from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Head(nn.Module):
    def __init__(self, hidden_dim: int, head_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(hidden_dim, head_size, bias=False)
        self.query = nn.Linear(hidden_dim, head_size, bias=False)
        self.value = nn.Linear(hidden_dim, head_size, bias=False)
        self.head_size = head_size

    def forward(self, x: Tensor) -> Tensor:
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) / math.sqrt(self.head_size)
        wei = torch.tril(wei)  # (B, T, T)
        wei = torch.softmax(wei, dim=-1)
        return wei @ v


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.block_size = block_size
        self.heads = nn.ModuleList(Head(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        out = torch.cat([head(x) for head in self.heads], dim=-1)
        return self.proj(out)
