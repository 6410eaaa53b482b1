import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """As all heads share the key, they can lie one below the other as more query rows."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key_value = nn.Linear(hidden_dim, 2 * self.head_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def _rows(self, mask: Tensor, length: int) -> Tensor:
        """A mask of four axes as (batch, heads * length or 1, length)."""
        if mask.size(1) == 1 and mask.size(2) == 1:
            return mask[:, 0]
        if mask.size(1) == 1:
            return mask[:, 0].repeat_interleave(self.num_heads, dim=1)
        return mask.reshape(mask.size(0), self.num_heads * length, -1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, hidden_dim = x.shape
        query = self.query(x).view(batch, length, self.num_heads, self.head_dim)
        query = query.transpose(1, 2).reshape(batch, self.num_heads * length, self.head_dim)
        key, value = self.key_value(x).chunk(2, dim=-1)
        scores = torch.bmm(query, key.mT) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            hidden = self._rows(attention_mask, length) == 0
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        context = torch.bmm(scores.softmax(dim=-1), value)
        context = context.view(batch, self.num_heads, length, self.head_dim).transpose(1, 2)
        return self.output(context.reshape(batch, length, hidden_dim))
