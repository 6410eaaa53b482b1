# attn-kata: cross
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.in_weight = nn.Parameter(torch.randn(3 * hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.in_bias = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def _project(self, query, key, value):
        e = query.shape[-1]
        wq, wkv = self.in_weight.split([e, 2 * e])
        bq, bkv = self.in_bias.split([e, 2 * e])
        q = F.linear(query, wq, bq)
        if key is value or key.shape == value.shape:
            k, v = F.linear(key, wkv, bkv).chunk(2, dim=-1)
        else:
            wk, wv = wkv.chunk(2)
            bk, bv = bkv.chunk(2)
            k, v = F.linear(key, wk, bk), F.linear(value, wv, bv)
        return q, k, v

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (t.unflatten(-1, (self.h, self.d)).transpose(1, 2) for t in self._project(query, key, value))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d)
        if mask is not None:
            scores = scores.masked_fill((mask == 0).unsqueeze(1), -math.inf)
        weights = F.dropout(scores.softmax(-1), self.p, self.training)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(-2))
