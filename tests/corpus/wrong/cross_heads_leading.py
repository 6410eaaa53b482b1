# wrong: cross
# attn-kata: cross
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """
    Decoder-to-encoder attention.

    All tensors are kept heads-first, (heads, batch, length, head_dim): one
    leading axis to index when looking at single heads in a notebook.
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def to_heads(self, x: Tensor) -> Tensor:
        return torch.stack(x.split(self.head_dim, dim=-1))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = self.to_heads(self.wq(query))
        k = self.to_heads(self.wk(key))
        v = self.to_heads(self.wv(value))
        scores = torch.einsum("hbqd,hbkd->hbqk", q, k) / math.sqrt(self.head_dim)
        if mask is not None:
            allowed = mask.bool().unsqueeze(1)
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(dim=-1))
        mixed = torch.einsum("hbqk,hbkd->hbqd", weights, v)
        return self.wo(torch.cat(list(mixed), dim=-1))
