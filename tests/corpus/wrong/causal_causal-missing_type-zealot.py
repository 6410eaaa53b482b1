# wrong: causal causal-missing line 34
from typing import Final, Tuple

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    num_heads: Final[int]
    head_dim: Final[int]

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.k: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.v: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.o: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        mask: Tensor = torch.ones(block_size, block_size).tril()
        self.register_buffer("mask", mask)

    def _split(self, t: Tensor) -> Tensor:
        shape: Tuple[int, ...] = (t.size(0), t.size(1), self.num_heads, self.head_dim)
        return t.view(shape).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q: Tensor = self._split(self.q(x))
        k: Tensor = self._split(self.k(x))
        v: Tensor = self._split(self.v(x))
        scores: Tensor = torch.matmul(q, k.transpose(-2, -1)) * self.head_dim ** -0.5
        mask: Tensor = self.mask[:length, :length]
        scores.masked_fill(mask == 0, float("-inf"))
        weights: Tensor = scores.softmax(dim=-1)
        return self.o(torch.matmul(weights, v).transpose(1, 2).reshape(batch, length, width))
