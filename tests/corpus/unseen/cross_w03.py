# attn-kata: cross
from __future__ import annotations

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)
        self.softmax_scale = self.d ** -0.5

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        b, m, c = query.shape
        n = key.shape[1]
        q = self.wq(query).view(b, m, self.h, self.d)
        k = self.wk(key).view(b, n, self.h, self.d)
        v = self.wv(value).view(b, n, self.h, self.d)
        s = torch.einsum("bmhd,bnhd->bhmn", q, k) * self.softmax_scale
        if mask is not None and m > 1:
            s = s.masked_fill(mask.view(b, 1, m, n) == 0, float("-inf"))
        p = self.drop(torch.softmax(s, dim=-1))
        o = torch.einsum("bhmn,bnhd->bmhd", p, v)
        return self.wo(o.reshape(b, m, c))
