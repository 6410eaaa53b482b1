# wrong: mha mask-fold-differs line 34
# fair: mask-fold-differs 34, 35
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Heads are folded into the batch axis, so that bmm does all the work."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scale = (hidden_dim // num_heads) ** 0.5
        self.Q = nn.Linear(hidden_dim, hidden_dim)
        self.K = nn.Linear(hidden_dim, hidden_dim)
        self.V = nn.Linear(hidden_dim, hidden_dim)
        self.O = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def fold(self, t: Tensor) -> Tensor:
        return torch.cat(t.chunk(self.num_heads, dim=2), dim=0)  # (h*b, t, d/h)

    def unfold(self, t: Tensor) -> Tensor:
        return torch.cat(t.chunk(self.num_heads, dim=0), dim=2)  # (b, t, d)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        q, k, v = self.fold(self.Q(x)), self.fold(self.K(x)), self.fold(self.V(x))
        scores = torch.bmm(q, k.transpose(1, 2)) / self.scale
        if attention_mask is not None:
            mask = attention_mask.expand(b, self.num_heads, t, t)
            mask = mask.reshape(b * self.num_heads, t, t)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = self.drop(torch.softmax(scores, dim=-1))
        return self.O(self.unfold(torch.bmm(weights, v)))
