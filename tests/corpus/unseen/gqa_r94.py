from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn


class QueryGroup(nn.Module):
    """The query heads that share one key head and one value head, and that key and value head."""

    def __init__(self, hidden_dim: int, members: int, head_dim: int) -> None:
        super().__init__()
        self.sizes = [head_dim] * (members + 2)
        self.weight = nn.Linear(hidden_dim, sum(self.sizes), bias=False)

    def forward(self, x: Tensor, hidden: Optional[Tensor]) -> list[Tensor]:
        *queries, key, value = self.weight(x).split(self.sizes, dim=-1)
        outputs: list[Tensor] = []
        for member, query in enumerate(queries):
            scores = query @ key.transpose(1, 2) / query.shape[-1] ** 0.5
            if hidden is not None:
                own = hidden[:, member if hidden.shape[1] > 1 else 0]
                scores = scores.masked_fill(own, float("-inf"))
            outputs.append(torch.softmax(scores, dim=-1) @ value)
        return outputs


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.members = num_heads // num_kv_heads
        self.groups = nn.ModuleList(
            QueryGroup(hidden_dim, self.members, hidden_dim // num_heads) for _ in range(num_kv_heads)
        )
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        hidden = None if attention_mask is None else attention_mask == 0
        merged: list[Tensor] = []
        for number, group in enumerate(self.groups):
            mine = hidden
            if hidden is not None and hidden.shape[1] > 1:
                mine = hidden.narrow(1, number * self.members, self.members)
            merged += group(x, mine)
        return self.out(torch.cat(merged, dim=-1))
