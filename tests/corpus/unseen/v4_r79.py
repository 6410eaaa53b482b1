from __future__ import annotations

import math
from functools import singledispatch

import torch
from torch import Tensor, nn


@singledispatch
def hide(mask, scores: Tensor, /) -> Tensor:
    raise TypeError(f"mask must be None or a tensor, not {type(mask).__name__}")


@hide.register
def _(mask: None, scores: Tensor, /) -> Tensor:
    return scores


@hide.register
def _(mask: torch.Tensor, scores: Tensor, /) -> Tensor:
    # 1 = may attend
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(mask.eq(0), lowest)


class SelfAttentionV4(nn.Module):
    ROLES = ("query", "key", "value")

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.proj = nn.ModuleDict({r: nn.Linear(hidden_dim, hidden_dim) for r in self.ROLES})
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = (self.proj[r](x) for r in self.ROLES)
        scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])
        weights = self.attn_drop(torch.softmax(hide(attention_mask, scores), dim=-1))
        return weights @ value
