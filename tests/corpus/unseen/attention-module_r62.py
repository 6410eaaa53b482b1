from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Attended(NamedTuple):
    output: Tensor
    weights: Tensor | None


class Head(nn.Module):
    def __init__(self, width: int, size: int, rate: float, bias: bool) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, size, bias=bias) for _ in range(3))
        self.o = nn.Linear(size, width, bias=False)
        self.drop = nn.Dropout(rate)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, hidden: Tensor, added: Tensor | float):
        scores = self.q(query) @ self.k(key).mT
        scores = scores / self.q.out_features**0.5 + added
        # not -inf: a row without any key comes out as the mean of all, and no gradient turns NaN
        weights = torch.where(hidden, torch.finfo(scores.dtype).min, scores).softmax(-1)
        return self.o(self.drop(weights) @ self.v(value)), weights


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            Head(embed_dim, embed_dim // num_heads, dropout, bias) for _ in range(num_heads)
        )
        self.bias = nn.Parameter(torch.zeros(embed_dim)) if bias else None

    def masks(self, padding: Tensor | None, attn_mask: Tensor | None, like: Tensor):
        """for every head: (hidden, added), both broadcast to (batch, target, source)"""
        nothing = torch.zeros((), dtype=torch.bool, device=like.device)
        padded = nothing if padding is None else padding[:, None, :]
        match attn_mask:
            case None:
                per_head = [nothing] * len(self.heads)
            case Tensor(ndim=2):
                per_head = [attn_mask] * len(self.heads)
            case _:
                # entry b * heads + h: every len(heads)-th, from h on, is that of head h
                per_head = [attn_mask[h :: len(self.heads)] for h in range(len(self.heads))]
        for mask in per_head:
            yield (padded | mask, 0.0) if mask.dtype == torch.bool else (padded, mask)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> Attended:
        masks = self.masks(key_padding_mask, attn_mask, query)
        outputs, weights = zip(*(head(query, key, value, *mask) for head, mask in zip(self.heads, masks)))
        output = torch.stack(outputs).sum(0)
        if self.bias is not None:
            output = output + self.bias
        if not need_weights:
            return Attended(output, None)
        stacked = torch.stack(weights, dim=1)
        return Attended(output, stacked.mean(1) if average_attn_weights else stacked)
