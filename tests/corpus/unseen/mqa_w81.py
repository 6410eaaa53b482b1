from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """All heads of all positions are rows of one product with the shared key."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.proj = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def _row_mask(self, mask: Tensor, length: int) -> Tensor:
        """(batch, 1 or length * heads, length), True where hidden."""
        hidden = mask == 0
        if hidden.shape[2] == 1:
            return hidden[:, 0]
        if hidden.shape[1] == 1:
            return hidden[:, 0].repeat_interleave(self.num_heads, dim=1)
        return hidden.reshape(-1, self.num_heads * length, length)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, hidden_dim = x.shape
        q, k, v = self.proj(x).split([hidden_dim, self.head_dim, self.head_dim], dim=-1)
        rows = q.reshape(batch, length * self.num_heads, self.head_dim)
        scores = torch.bmm(rows, k.transpose(1, 2)) * self.head_dim**-0.5
        if attention_mask is not None:
            hidden = self._row_mask(attention_mask, length)
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        context = torch.bmm(scores.softmax(dim=-1), v)
        return self.out(context.reshape(batch, length, hidden_dim))
