# right: block
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.to_vkq = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)
        self.act = nn.GELU()

    def attend(self, h: Tensor) -> Tensor:
        length = h.shape[1]
        v, k, q = self.to_vkq(h).chunk(3, dim=-1)
        per_head = []
        for n in range(self.num_heads):
            lo, hi = n * self.head_dim, (n + 1) * self.head_dim
            rows = []
            for t in range(length):
                q_t = q[:, t, lo:hi].unsqueeze(-1)            # (batch, head_dim, 1)
                k_seen = k[:, : t + 1, lo:hi]                 # (batch, t + 1, head_dim)
                v_seen = v[:, : t + 1, lo:hi]
                scores = k_seen @ q_t / math.sqrt(self.head_dim)   # (batch, t + 1, 1)
                weights = scores.softmax(dim=1)
                rows.append((weights * v_seen).sum(dim=1))
            per_head.append(torch.stack(rows, dim=1))
        return self.out(torch.cat(per_head, dim=-1))

    def mlp(self, h: Tensor) -> Tensor:
        return self.down(self.act(self.up(h)))

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attend(self.norm_1(x))
        return attended + self.mlp(self.norm_2(attended))
