from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.dropout_p = dropout
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _core(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        scores = q @ k.mT * self.head_dim**-0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        weights = F.dropout(scores.softmax(-1), self.dropout_p, self.training)
        return weights @ v

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.in_proj(x).chunk(3, dim=-1)
        if self.num_heads == 1:
            # no split and no merge needed
            mask = None if attention_mask is None else attention_mask[:, 0]
            return self._core(q, k, v, mask)
        q, k, v = (t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2) for t in (q, k, v))
        context = self._core(q, k, v, attention_mask)
        return self.out_proj(context.transpose(1, 2).flatten(2))
