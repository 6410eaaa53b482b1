from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Triple(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


def time_first(t: Tensor, heads: int) -> Tensor:
    """(batch, time, width) -> (time, batch * heads, narrow), what old fairseq works in"""
    batch, time, width = t.shape
    return t.transpose(0, 1).reshape(time, batch * heads, width // heads)


class CrossAttention(nn.Module):
    __constants__ = ["heads", "rate"]

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads = num_heads
        self.rate = dropout
        self.weight = nn.ParameterDict(
            {part: nn.Parameter(nn.init.xavier_uniform_(torch.empty(hidden_dim, hidden_dim))) for part in Triple._fields}
        )
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        batch, target, width = query.shape
        given = Triple(query, key, value)
        q, k, v = [time_first(F.linear(t, self.weight[part]), self.heads) for part, t in given._asdict().items()]
        q = q.mul(q.size(-1) ** -0.5).movedim(0, 1)                 # (b*h, target, narrow)
        logits = q @ k.permute(1, 2, 0)                             # (b*h, target, source)
        if mask is not None:
            seen = mask.ne(0).unsqueeze(1)
            grid = logits.unflatten(0, (batch, self.heads))
            logits = grid.masked_fill(seen.logical_not(), torch.finfo(logits.dtype).min).flatten(0, 1)
        probs = F.dropout(logits.softmax(-1), self.rate, self.training)
        mixed = torch.bmm(probs, v.transpose(0, 1)).transpose(0, 1)  # (target, b*h, narrow)
        return self.out(mixed.reshape(target, batch, width)).transpose(0, 1)
