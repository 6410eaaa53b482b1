# attn-kata: kvcache
# The cache is a persistent linked list of blocks: appending never touches older nodes,
# so a prefix may be shared by any number of continuations.
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Iterator, Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Node:
    k: Tensor
    v: Tensor
    total: int
    prev: Optional["Node"] = None

    def __iter__(self) -> Iterator["Node"]:
        node: Optional[Node] = self
        while node is not None:
            yield node
            node = node.prev

    def gather(self) -> tuple[Tensor, Tensor]:
        nodes = list(self)[::-1]
        return torch.cat([n.k for n in nodes], dim=2), torch.cat([n.v for n in nodes], dim=2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wqkv = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        self.wo = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        for p in (self.wqkv, self.wo):
            nn.init.normal_(p, std=hidden_dim**-0.5)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, c = x.shape
        qkv = torch.matmul(x.unsqueeze(0), self.wqkv.unsqueeze(1))  # (3, b, t, c)
        q, k, v = qkv.view(3, b, t, self.num_heads, self.head_dim).transpose(2, 3)
        past = 0 if cache is None else cache.total
        node = Node(k, v, past + t, cache)
        keys, values = node.gather()

        scores = q @ keys.transpose(-1, -2) / math.sqrt(self.head_dim)
        limit = torch.arange(past, past + t, device=x.device).unsqueeze(-1)
        scores = scores.masked_fill(torch.arange(past + t, device=x.device) > limit, float("-inf"))
        y = torch.softmax(scores, dim=-1) @ values
        return y.transpose(1, 2).reshape(b, t, c) @ self.wo, node
