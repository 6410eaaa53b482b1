from __future__ import annotations

import math
from typing import Optional, Tuple

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Encoder-decoder attention.

    Invariants (asserted): the output is as long as the query; key and value agree in length.
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, (hidden_dim, num_heads)
        self.num_heads: int = num_heads
        self.head_dim: int = hidden_dim // num_heads
        self.wq: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.wk: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.wv: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.wo: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.dropout: nn.Dropout = nn.Dropout(dropout)

    def split(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        out: Tensor = t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        assert out.shape == (b, self.num_heads, n, self.head_dim)
        return out

    def project_source(self, key: Tensor, value: Tensor) -> Tuple[Tensor, Tensor]:
        assert key.shape == value.shape
        k: Tensor = self.split(self.wk(key))
        v: Tensor = k if value is key else self.split(self.wv(value))
        return k, v

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None
    ) -> Tensor:
        b, tq, c = query.shape
        tk: int = key.shape[1]
        q: Tensor = self.split(self.wq(query))
        k, v = self.project_source(key, value)
        scores: Tensor = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        assert scores.shape == (b, self.num_heads, tq, tk)
        if mask is not None:
            assert mask.shape == (b, tq, tk), mask.shape
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(scores.dtype).min)
        weights: Tensor = self.dropout(torch.softmax(scores, dim=-1))
        context: Tensor = torch.matmul(weights, v).transpose(1, 2).reshape(b, tq, c)
        return self.wo(context)
