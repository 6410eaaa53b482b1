# attn-kata: causal
from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    TILE = 16

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        index = torch.arange(block_size)
        self.register_buffer("hidden", index[None, :] > index[:, None], persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        qkv = self.qkv(x).view(b, n, 3, self.num_heads, self.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        acc = torch.zeros_like(q)
        for start in range(0, n - n % self.TILE, self.TILE):
            stop = start + self.TILE
            s = q[:, :, start:stop] @ k[:, :, :stop].mT
            s = s / self.head_dim ** 0.5
            s = s.masked_fill(self.hidden[start:stop, :stop], float("-inf"))
            acc[:, :, start:stop] = s.softmax(dim=-1) @ v[:, :, :stop]
        return self.out(acc.transpose(1, 2).reshape(b, n, c))
