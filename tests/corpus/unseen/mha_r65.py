from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Head-indexed storage: W[h][0..2] are the query/key/value maps of head h, O[h] its output map."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.H = num_heads
        self.dh = hidden_dim // num_heads
        bound = 1.0 / math.sqrt(hidden_dim)
        self.W = nn.Parameter(torch.empty(num_heads, 3, hidden_dim, self.dh).uniform_(-bound, bound))
        self.O = nn.Parameter(torch.empty(num_heads, self.dh, hidden_dim).uniform_(-bound, bound))
        self.O_bias = nn.Parameter(torch.zeros(hidden_dim))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        nb, n, _ = x.shape
        mask = None
        if attention_mask is not None:
            mask = attention_mask.expand(nb, self.H, n, n)

        acc = self.O_bias.expand(nb, n, -1).clone()
        for h in range(self.H):
            q = x @ self.W[h, 0]
            k = x @ self.W[h, 1]
            v = x @ self.W[h, 2]
            s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.dh)
            if mask is not None:
                s = s.masked_fill(mask[:, h] == 0, torch.finfo(s.dtype).min)
            p = self.dropout(torch.softmax(s, dim=2))
            # sum over heads of ctx_h · O_h is the concatenation times the stacked O
            acc = acc + torch.bmm(p, v) @ self.O[h]
        return acc
