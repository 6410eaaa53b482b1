import math
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class KeyValue(NamedTuple):
    key: Tensor
    value: Tensor

    def followed_by(self, other: "KeyValue") -> "KeyValue":
        return KeyValue(*(torch.cat(pair, dim=-2) for pair in zip(self, other)))

    def __len__(self) -> int:
        return 2


class Heads(nn.Module):
    """A linear layer whose output is cut into heads."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.linear = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).unflatten(-1, (self.heads, -1)).transpose(-3, -2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.query = Heads(hidden_dim, num_heads)
        self.key = Heads(hidden_dim, num_heads)
        self.value = Heads(hidden_dim, num_heads)
        self.output = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.root = math.sqrt(hidden_dim // num_heads)

    def forward(self, x: Tensor, cache: Optional[KeyValue] = None):
        query = self.query(x)
        fresh = KeyValue(self.key(x), self.value(x))
        everything = fresh if cache is None else cache.followed_by(fresh)
        scores = query @ everything.key.transpose(-2, -1) / self.root
        new, total = scores.shape[-2:]
        later = torch.ones(new, total, dtype=torch.bool, device=x.device).triu(total - new + 1)
        weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
        merged = (weights @ everything.value).transpose(-3, -2).flatten(-2)
        return self.output(merged), fresh
