from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Past:
    """Linked list of chunks; continuing it in two ways shares what came before."""

    kv: Tensor
    before: Past | None = None

    def walk(self) -> list[Tensor]:
        chunks, node = [], self
        while node is not None:
            chunks.append(node.kv)
            node = node.before
        return chunks[::-1]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, n, c = x.shape
        q = self.q(x).reshape(b, n, self.num_heads, self.head_dim)
        kv = self.kv(x).reshape(b, n, 2, self.num_heads, self.head_dim)
        past = Past(kv, cache)
        k, v = torch.cat(past.walk(), dim=1).unbind(2)
        total = k.shape[1]
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.head_dim**-0.5
        own = torch.arange(total - n, total, device=x.device)
        late = torch.arange(total, device=x.device) > own[:, None]
        weights = scores.masked_fill(late, float("-inf")).softmax(-1)
        y = torch.einsum("bhqk,bkhd->bqhd", weights, v)
        return self.o(y.reshape(b, n, c)), past
