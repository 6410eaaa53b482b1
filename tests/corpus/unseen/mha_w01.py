# attn-kata: mha
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Folds heads into the batch so that everything runs as one bmm."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def _fold(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        return t.reshape(b, n, self.h, self.d).transpose(1, 2).reshape(b * self.h, n, self.d)

    def _fold_mask(self, mask: Tensor, b: int, n: int) -> Tensor:
        full = mask.expand(b, self.h, n, n)
        return full.transpose(0, 1).reshape(b * self.h, n, n)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, c = x.shape
        q, k, v = (self._fold(t) for t in self.in_proj(x).split(c, dim=-1))
        s = torch.bmm(q * self.d ** -0.5, k.transpose(1, 2))
        if attention_mask is not None:
            s.masked_fill_(self._fold_mask(attention_mask, b, n) == 0, float("-inf"))
        o = torch.bmm(self.drop(s.softmax(dim=-1)), v)
        o = o.view(b, self.h, n, self.d).transpose(1, 2).reshape(b, n, c)
        return self.out_proj(o)
