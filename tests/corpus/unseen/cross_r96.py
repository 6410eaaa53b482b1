from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout as drop


class CrossAttention(nn.Module):
    """Queries in slabs, so that the scores of a long query never lie in memory all at once."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1, *, slab: int = 16) -> None:
        super().__init__()
        self.num_heads, self.rate, self.slab = num_heads, dropout, slab
        self.to_q, self.to_k, self.to_v, self.to_out = (
            nn.Linear(hidden_dim, hidden_dim, bias=last) for last in (False, False, False, True)
        )

    def fold(self, x: Tensor) -> Tensor:
        """(batch, length, width) -> (batch * heads, length, head_dim)"""
        return torch.cat(x.unsqueeze(1).tensor_split(self.num_heads, dim=3), dim=1).flatten(0, 1)

    def slabs(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Iterator[Tensor]:
        for start in range(0, q.shape[1], self.slab):
            rows = slice(start, start + self.slab)
            scores = torch.bmm(q[:, rows], k.transpose(1, 2))
            if mask is not None:
                hidden = mask[:, rows].eq(0).repeat_interleave(self.num_heads, dim=0)
                scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
            yield torch.bmm(drop(scores.softmax(2), self.rate, self.training), v)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.fold(self.to_q(query))
        q = q / q.shape[-1] ** 0.5
        context = torch.cat(tuple(self.slabs(q, self.fold(self.to_k(key)), self.fold(self.to_v(value)), mask)), dim=1)
        by_head = context.unflatten(0, (query.shape[0], self.num_heads)).unbind(1)
        return self.to_out(torch.cat(by_head, dim=-1))
