from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn, Tensor


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.heads = num_heads
        self.p = dropout
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        h = self.heads
        q = self.to_q(query)
        k, v = self.to_kv(key).chunk(2, dim=-1)
        q, k, v = (t.unflatten(-1, (h, -1)).movedim(2, 1) for t in (q, k, v))
        sim = (q @ k.mT).div(q.shape[-1] ** 0.5)
        if mask is not None:
            sim = sim.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        attn = F.dropout(sim.softmax(-1), self.p, self.training)
        return self.to_out((attn @ v).movedim(1, 2).flatten(2))
