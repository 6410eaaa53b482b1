from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.ln1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.ln2 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.fc1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.fc2 = nn.Linear(4 * hidden_dim, hidden_dim)
        self.act = nn.GELU()

    def _attend(self, x: Tensor) -> Tensor:
        q, k, v = (
            layer(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        length = x.size(1)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
        visible = torch.tril(torch.ones(length, length, device=x.device, dtype=torch.bool))
        weights = torch.softmax(scores.masked_fill(~visible, float("-inf")), dim=-1)
        heads = weights @ v
        return self.o(heads.flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self._attend(self.ln1(x))
        return attended + self.fc2(self.act(self.fc1(self.ln2(attended))))
