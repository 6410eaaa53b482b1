from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass
class KeyValueCache:
    keys: Tensor
    values: Tensor

    def __len__(self) -> int:
        return self.keys.size(-2)

    def append(self, keys: Tensor, values: Tensor) -> KeyValueCache:
        self.keys = torch.cat((self.keys, keys), dim=-2)
        self.values = torch.cat((self.values, values), dim=-2)
        return self


@dataclass(frozen=True)
class AttentionConfig:
    hidden_dim: int
    num_heads: int

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.config = AttentionConfig(hidden_dim, num_heads)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.config.num_heads, self.config.head_dim)).transpose(1, 2)

    @staticmethod
    def _allowed(query_length: int, key_length: int, device: torch.device) -> Tensor:
        ones = torch.ones(query_length, key_length, dtype=torch.bool, device=device)
        return ones.tril(diagonal=key_length - query_length)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, KeyValueCache]:
        query, key, value = (self._split(f(x)) for f in (self.query, self.key, self.value))
        cache = KeyValueCache(key, value) if cache is None else cache.append(key, value)
        scores = query @ cache.keys.mT / math.sqrt(self.config.head_dim)
        allowed = self._allowed(x.size(1), len(cache), x.device)
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        context = scores.softmax(dim=-1) @ cache.values
        return self.output(context.transpose(1, 2).flatten(2)), cache
