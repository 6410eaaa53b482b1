from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Shape:
    width: int
    heads: int

    @property
    def per_head(self) -> int:
        return self.width // self.heads


class MultiHeadAttention(nn.Module):
    """Weights stacked as (role, head, width, per_head); one head is vmapped over all."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = Shape(hidden_dim, num_heads)
        d = self.shape.per_head
        self.w_in = nn.Parameter(torch.empty(3, num_heads, hidden_dim, d))
        self.w_out = nn.Parameter(torch.empty(num_heads, d, hidden_dim))
        self.b_out = nn.Parameter(torch.zeros(hidden_dim))
        for p in (self.w_in, self.w_out):
            nn.init.normal_(p, std=1 / math.sqrt(hidden_dim))
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = torch.einsum("btc,rhcd->rbhtd", x, self.w_in)
        scores = (q / math.sqrt(self.shape.per_head)) @ k.mT
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(-1))
        mix = torch.func.vmap(lambda w, val, out: w @ val @ out, in_dims=(1, 1, 0))
        return mix(weights, v, self.w_out).sum(0) + self.b_out
