# attn-kata: gqa
from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn


def masked_softmax(logits: Tensor, allowed: Tensor | None) -> Tensor:
    """exp / sum by hand; a row in which nothing is allowed becomes all zeros."""
    if allowed is None:
        return torch.softmax(logits, dim=-1)
    lowest = torch.finfo(logits.dtype).min
    peak = torch.where(allowed, logits, lowest).amax(dim=-1, keepdim=True).detach()
    e = torch.where(allowed, (logits - peak).clamp(max=0), lowest).exp()
    return e / e.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(logits.dtype).tiny)


class Family(nn.Module):
    """One key, one value, and the queries that read them."""

    def __init__(self, width: int, head_dim: int, members: int) -> None:
        super().__init__()
        self.head_dim = head_dim
        self.key = nn.Linear(width, head_dim)
        self.value = nn.Linear(width, head_dim)
        self.queries = nn.ModuleList(nn.Linear(width, head_dim) for _ in range(members))

    def forward(self, x: Tensor, masks: Iterator[Tensor | None]) -> Iterator[Tensor]:
        k, v = self.key(x), self.value(x)
        for query in self.queries:
            logits = query(x) @ k.mT / math.sqrt(self.head_dim)
            yield masked_softmax(logits, next(masks)) @ v


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be a multiple of num_heads"
        assert num_heads % num_kv_heads == 0, "num_heads must be a multiple of num_kv_heads"
        self.num_heads = num_heads
        members = num_heads // num_kv_heads
        self.families = nn.ModuleList(
            Family(hidden_dim, hidden_dim // num_heads, members) for _ in range(num_kv_heads)
        )
        self.merge = nn.Linear(hidden_dim, hidden_dim)

    def per_head(self, mask: Tensor | None) -> Iterator[Tensor | None]:
        for h in range(self.num_heads):
            yield None if mask is None else mask[:, h if mask.size(1) > 1 else 0].bool()

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        masks = self.per_head(attention_mask)
        outs = [out for family in self.families for out in family(x, masks)]
        return self.merge(torch.cat(outs, dim=-1))
