from __future__ import annotations
import math
import torch
from torch import Tensor, nn


class SharedMemory(nn.Module):
    def __init__(self, width: int, d: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, d)
        self.value = nn.Linear(width, d)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.key(x), self.value(x)


def lookup(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(k.size(2))
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
    return torch.bmm(torch.softmax(s, 2), v)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.query_heads = nn.ModuleList(nn.Linear(hidden_dim, d) for _ in range(num_heads))
        self.kv = SharedMemory(hidden_dim, d)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        k, v = self.kv(x)
        results = []
        for index, to_query in enumerate(self.query_heads):
            mask = attention_mask
            if mask is not None:
                mask = mask[:, index if mask.size(1) > 1 else 0]
            results.append(lookup(to_query(x), k, v, mask))
        merged = torch.stack(results, dim=-1).flatten(-2)
        return self.out(merged)
