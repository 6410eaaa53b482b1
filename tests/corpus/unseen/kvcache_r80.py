from __future__ import annotations

import functools
import logging
import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeysAndValues:
    keys: Tensor
    values: Tensor

    def __len__(self) -> int:
        return self.keys.shape[-2]

    @staticmethod
    def joined(past: "KeysAndValues | None", keys: Tensor, values: Tensor) -> "KeysAndValues":
        if past is None:
            return KeysAndValues(keys, values)
        return KeysAndValues(torch.cat((past.keys, keys), -2), torch.cat((past.values, values), -2))


def traced(forward):
    @functools.wraps(forward)
    def inner(self, x, *args, **kwargs):
        output, cache = forward(self, x, *args, **kwargs)
        log.debug("%d new positions, %d in all", x.shape[1], len(cache))
        return output, cache

    return inner


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    @traced
    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        cache = KeysAndValues.joined(cache, k, v)
        scores = q @ cache.keys.mT / math.sqrt(q.shape[-1])
        past = len(cache) - x.shape[1]
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(past + 1)
        weights = scores.masked_fill(ahead, -math.inf).softmax(-1)
        return self.proj((weights @ cache.values).transpose(1, 2).flatten(2)), cache
