from __future__ import annotations

import math

import torch
import torch.nn as nn
from torch import Tensor


class TransformerBlock(nn.Module):
    MLP_ROWS = 256

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def attention(self, h: Tensor) -> Tensor:
        batch, length, width = h.shape
        q, k, v = (
            t.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
            for t in self.qkv(h).split(width, dim=-1)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        ahead = torch.ones(length, length, dtype=torch.bool, device=h.device).triu(1)
        weights = scores.masked_fill(ahead, float("-inf")).softmax(dim=-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x: Tensor) -> Tensor:
        stream = x + self.attention(self.norm_1(x))
        if stream.shape[1] <= self.MLP_ROWS:
            return stream + self.mlp(self.norm_2(stream))
        # the wide activations of a long text are only held a piece at a time
        for piece in torch.arange(stream.shape[1]).split(self.MLP_ROWS):
            rows = slice(int(piece[0]), int(piece[-1]) + 1)
            stream[:, rows] += self.mlp(self.norm_2(stream[:, rows]))
        return stream
