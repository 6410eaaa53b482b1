# attn-kata: causal
from __future__ import annotations

import torch
from torch import Tensor, nn

TILE = 32


class CausalSelfAttention(nn.Module):
    """Query tiles; keys to the right of a tile are never touched."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.block_size = block_size
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        n = x.size(1)
        q, k, v = map(self._heads, self.c_attn(x).chunk(3, dim=-1))
        q = q * self.head_dim ** -0.5
        tiles = []
        for lo in range(0, n, TILE):
            hi = min(lo + TILE, n)
            s = q[:, :, lo:hi] @ k[:, :, :hi].transpose(-1, -2)
            rows = torch.arange(lo, hi, device=x.device).unsqueeze(1)
            cols = torch.arange(hi, device=x.device)
            s.masked_fill_(cols > rows, float("-inf"))
            tiles.append(torch.softmax(s, dim=-1) @ v[:, :, :hi])
        o = torch.cat(tiles, dim=2).transpose(1, 2).flatten(2)
        return self.c_proj(o)
