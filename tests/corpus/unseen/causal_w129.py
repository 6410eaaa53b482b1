from typing import Iterator

import torch
from torch import Tensor, nn

TILE = 4


def tiles(length: int, step: int = TILE) -> Iterator[tuple[int, int]]:
    start = 0
    while start < length:
        stop = min(start + step, length)
        yield start, stop
        start = stop


class CausalSelfAttention(nn.Module):
    """Works through the queries tile by tile, so that no (T, T) matrix is ever in memory."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads, self.block_size = num_heads, block_size
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, start: int, stop: int) -> Tensor:
        rows, cols = stop - start, k.size(2)
        scores = q[:, :, start:stop] @ k.transpose(-2, -1) / self.head_dim**0.5
        visible = torch.ones(rows, cols, dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~visible, float("-inf"))
        return scores.softmax(dim=-1) @ v

    def forward(self, x: Tensor) -> Tensor:
        assert x.size(1) <= self.block_size
        q, k, v = map(self.split, self.qkv(x).chunk(3, dim=-1))
        y = torch.cat([self.attend(q, k, v, a, b) for a, b in tiles(x.size(1))], dim=2)
        return self.out(y.transpose(1, 2).flatten(2))
