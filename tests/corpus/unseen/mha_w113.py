from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Heads are folded into the batch so that everything is a bmm."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def fold(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        t = t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        return t.reshape(b * self.num_heads, n, self.head_dim)

    def unfold(self, t: Tensor, b: int) -> Tensor:
        t = t.view(b, self.num_heads, -1, self.head_dim).transpose(1, 2)
        return t.flatten(2)

    def fold_mask(self, mask: Tensor, n: int) -> Tensor:
        if mask.size(1) == 1:
            return mask.squeeze(1).repeat(self.num_heads, 1, 1)
        return mask.reshape(-1, mask.size(2), n)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, _ = x.shape
        q, k, v = (self.fold(t) for t in self.qkv(x).chunk(3, dim=-1))
        scores = torch.bmm(q, k.mT) / self.head_dim**0.5
        if attention_mask is not None:
            allowed = self.fold_mask(attention_mask, n)
            scores = scores.masked_fill(allowed == 0, torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(-1))
        return self.out(self.unfold(torch.bmm(weights, v), b))
