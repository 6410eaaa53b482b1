"""Causal attention, a tile of queries at a time: a tile reads only the keys up to its end."""
from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    TILE = 24

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.heads, self.block_size = num_heads, block_size
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)

    def heads_first(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, -1)).movedim(-2, 1)

    def forward(self, x: Tensor) -> Tensor:
        length = x.size(1)
        if length > self.block_size:
            raise ValueError(f"length {length} exceeds block_size {self.block_size}")
        q = self.heads_first(self.q(x))
        k, v = map(self.heads_first, self.kv(x).chunk(2, -1))
        q = q / q.size(-1) ** 0.5
        pos = torch.arange(length, device=x.device)
        done = []
        for lo in range(0, length, self.TILE):
            hi = min(lo + self.TILE, length)
            s = q[:, :, lo:hi] @ k[:, :, :hi].mT
            s = s.where(pos[lo:hi, None] >= pos[None, :hi], -torch.inf)
            done.append(s.softmax(-1) @ v[:, :, :hi])
        return torch.cat(done, 2).movedim(1, -2).flatten(-2)
