from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Group(nn.Module):
    """One key/value head together with the query heads that read it."""

    def __init__(self, width: int, members: int, d: int) -> None:
        super().__init__()
        self.d = d
        self.queries = nn.ModuleList(nn.Linear(width, d) for _ in range(members))
        self.key = nn.Linear(width, d)
        self.value = nn.Linear(width, d)

    def forward(self, x: Tensor, masks: list[Tensor | None]) -> list[Tensor]:
        k_t, v = self.key(x).mT, self.value(x)
        outs = []
        for layer, mask in zip(self.queries, masks, strict=True):
            s = layer(x) @ k_t / math.sqrt(self.d)
            if mask is not None:
                s = torch.where(mask.bool(), s, torch.finfo(s.dtype).min)
            outs.append(torch.softmax(s, dim=2) @ v)
        return outs


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.members = num_heads // num_kv_heads
        d = hidden_dim // num_heads
        self.groups = nn.ModuleList(Group(hidden_dim, self.members, d) for _ in range(num_kv_heads))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def _masks(self, mask: Tensor | None) -> list[Tensor | None]:
        if mask is None:
            return [None] * self.num_heads
        return list(mask.expand(-1, self.num_heads, -1, -1).unbind(1))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        masks = self._masks(attention_mask)
        heads: list[Tensor] = []
        for g, group in enumerate(self.groups):
            heads += group(x, masks[g * self.members : (g + 1) * self.members])
        return self.out(torch.cat(heads, dim=-1))
