# attn-kata: mqa
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.head_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.scale = self.head_dim ** -0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, c = x.shape
        # (b, n, heads * dim) is already (b, n * heads, dim) in memory: no copy needed
        rows = self.q_proj(x).view(b, n * self.num_heads, self.head_dim)
        scores = torch.bmm(rows * self.scale, self.k_proj(x).transpose(1, 2))
        if attention_mask is not None:
            scores = scores.view(b, self.num_heads, n, n)
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
            scores = scores.view(b, n * self.num_heads, n)
        out = torch.bmm(scores.softmax(dim=-1), self.v_proj(x))
        return self.out_proj(out.view(b, n, c))
