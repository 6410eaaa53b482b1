from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        self.in_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.out_weight = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for w in (self.in_weight, self.out_weight):
            nn.init.xavier_uniform_(w)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        width = query.shape[-1]
        w_q, w_kv = self.in_weight.split([width, 2 * width])
        q = F.linear(query, w_q)
        w_k, w_v = w_kv.chunk(2)
        k, v = F.linear(key, w_k), F.linear(value, w_v)

        q, k, v = (t.unflatten(-1, (self.num_heads, -1)) for t in (q, k, v))
        sim = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            sim = torch.where(mask[:, None] != 0, sim, torch.finfo(sim.dtype).min)
        attn = F.dropout(sim.softmax(dim=-1), self.p, self.training)
        context = torch.einsum("bhqk,bkhd->bqhd", attn, v)
        return F.linear(context.flatten(-2), self.out_weight)
