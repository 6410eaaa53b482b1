import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        source = x
        allowed = None if attention_mask is None else attention_mask != 0
        if allowed is not None and allowed.size(-2) == 1 and allowed.size(1) == 1:
            # padding only: nobody looks behind the longest sample, so no key is made there
            longest = int(allowed.sum(dim=-1).max())
            source, allowed = x[:, :longest], allowed[..., :longest]
        query = self._heads(self.q_proj(x))
        key, value = (self._heads(t) for t in self.kv_proj(source).chunk(2, dim=-1))
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        if allowed is not None:
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        context = self.dropout(scores.softmax(dim=-1)) @ value
        return self.o_proj(context.transpose(1, 2).flatten(2))
