from __future__ import annotations

import math
from typing import Any, Iterator, NamedTuple, Optional

import torch
from torch import Tensor, nn


class Link(NamedTuple):
    """A list in the manner of Lisp: what a call added, and what was there before it.

    Nothing is ever copied, so a cache that is continued in two ways shares its past.
    """

    keys: Tensor
    values: Tensor
    before: Optional["Link"]


def walk(link: Optional[Link]) -> Iterator[Link]:
    while link is not None:
        yield link
        link = link.before


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Optional[Link] = None) -> tuple[Tensor, Any]:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).reshape(batch, length, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q = q / math.sqrt(q.shape[-1])
        newest = Link(k, v, cache)

        scores: list[Tensor] = []
        for link in walk(newest):
            piece = q @ link.keys.transpose(2, 3)
            if link is newest:
                ahead = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
                piece = piece.masked_fill(ahead, -math.inf)
            scores.append(piece)
        # the newest link first; a softmax does not mind the order
        weights = torch.cat(scores, dim=-1).softmax(dim=-1)
        parts = weights.split([s.shape[-1] for s in scores], dim=-1)
        context = sum(part @ link.values for part, link in zip(parts, walk(newest)))
        return self.out(context.transpose(1, 2).reshape(batch, length, width)), newest
