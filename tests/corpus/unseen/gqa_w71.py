from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class GroupSpec:
    hidden_dim: int
    head_dim: int
    heads_per_group: int
    index: int


class MaskSelector:
    """Cuts the part of an attention mask that concerns one group."""

    def __init__(self, spec: GroupSpec) -> None:
        self.spec = spec

    def __call__(self, mask: Tensor) -> Tensor:
        if mask.size(1) == 1:
            return mask
        first = self.spec.index
        return mask[:, first : first + 1]


class QueryGroup(nn.Module):
    def __init__(self, spec: GroupSpec) -> None:
        super().__init__()
        self.spec = spec
        self.select_mask = MaskSelector(spec)
        self.q_proj = nn.Linear(spec.hidden_dim, spec.heads_per_group * spec.head_dim)
        self.k_proj = nn.Linear(spec.hidden_dim, spec.head_dim)
        self.v_proj = nn.Linear(spec.hidden_dim, spec.head_dim)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        heads = (self.spec.heads_per_group, self.spec.head_dim)
        query = self.q_proj(x).unflatten(-1, heads).transpose(1, 2)
        key, value = self.k_proj(x).unsqueeze(1), self.v_proj(x).unsqueeze(1)
        scores = query @ key.transpose(-2, -1) / self.spec.head_dim**0.5
        if mask is not None:
            scores = scores.masked_fill(
                self.select_mask(mask) == 0, torch.finfo(scores.dtype).min
            )
        return (scores.softmax(dim=-1) @ value).transpose(1, 2).flatten(2)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError("heads do not divide evenly")
        head_dim, per_group = hidden_dim // num_heads, num_heads // num_kv_heads
        self.groups = nn.ModuleList(
            QueryGroup(GroupSpec(hidden_dim, head_dim, per_group, index))
            for index in range(num_kv_heads)
        )
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.out_proj(torch.cat([g(x, attention_mask) for g in self.groups], dim=-1))
