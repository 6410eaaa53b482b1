from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * hidden_dim))
        nn.init.xavier_uniform_(self.in_proj_weight)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _project(self, query: Tensor, key: Tensor, value: Tensor):
        if query is key:
            # self-attention: one big product
            return F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        weights = self.in_proj_weight.chunk(3)
        biases = self.in_proj_bias.chunk(3)
        return [F.linear(t, w, b) for t, w, b in zip((query, key, value), weights, biases)]

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (
            t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
            for t in self._project(query, key, value)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(scores.dtype).min)
        context = self.dropout(scores.softmax(dim=-1)) @ v
        return self.out_proj(context.transpose(1, 2).flatten(2))
