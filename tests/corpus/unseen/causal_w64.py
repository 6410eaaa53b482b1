# attn-kata: causal
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.heads = num_heads
        self.block_size = block_size
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        # Puffer, damit die Maske mit .to(device) umzieht; gefüllt wird er beim ersten Aufruf
        self.register_buffer("mask", None, persistent=False)

    def causal_mask(self, scores: Tensor) -> Tensor:
        length = scores.size(-1)
        if self.mask is None:
            full = torch.ones(length, length, dtype=torch.bool, device=scores.device)
            self.mask = torch.tril(full)
        return self.mask[:length, :length]

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        qkv = self.qkv(x).view(b, t, 3, self.heads, c // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)                  # je (b, h, t, d)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(~self.causal_mask(scores), -torch.inf)
        y = scores.softmax(-1) @ v
        y = y.transpose(1, 2).contiguous().view(b, t, c)
        return self.out(y)
