from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Link(NamedTuple):
    """One call's keys and values, and the link before it: a persistent linked list, never written to."""

    key: Tensor  # (batch, new, heads, dim)
    value: Tensor
    start: int
    before: Optional["Link"]

    def gather(self) -> tuple[Tensor, Tensor]:
        ks, vs, node = [], [], self
        while node is not None:
            ks.append(node.key)
            vs.append(node.value)
            node = node.before
        return torch.cat(ks[::-1], 1), torch.cat(vs[::-1], 1)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.w_qkv = nn.Parameter(torch.randn(hidden_dim, 3 * hidden_dim) * hidden_dim**-0.5)
        self.w_out = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.b_out = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x: Tensor, cache: Link | None = None) -> tuple[Tensor, Link]:
        new = x.size(1)
        q, k, v = ((x @ w).unflatten(-1, (self.heads, -1)) for w in self.w_qkv.chunk(3, 1))
        start = 0 if cache is None else cache.start + cache.key.size(1)
        link = Link(k, v, start, cache)
        keys, values = link.gather()

        s = torch.einsum("bihd,bjhd->bhij", q, keys) / q.size(-1) ** 0.5
        j = torch.arange(start + new, device=x.device)
        future = j[None, :] > j[start:, None]
        p = F.softmax(s.masked_fill(future, -torch.inf), dim=-1)
        y = torch.einsum("bhij,bjhd->bihd", p, values).flatten(2)
        return y @ self.w_out + self.b_out, link
