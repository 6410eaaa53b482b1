import math
from typing import Any, Optional

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """The cache is a dict with lists of key and value pieces, joined when they are read."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    @staticmethod
    def _extend(cache: Optional[dict], k: Tensor, v: Tensor) -> dict:
        if cache is None:
            return {"k": [k], "v": [v]}
        if k.size(2) == 1:
            # one token: no need to copy what is there
            cache["k"].append(k)
            cache["v"].append(v)
            return cache
        return {"k": [*cache["k"], k], "v": [*cache["v"], v]}

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        q, k, v = (self._split(t) for t in self.qkv(x).chunk(3, dim=-1))
        cache = self._extend(cache, k, v)
        k, v = torch.cat(cache["k"], dim=2), torch.cat(cache["v"], dim=2)
        new, total = q.size(2), k.size(2)
        scores = q @ k.mT / math.sqrt(self.head_dim)
        seen = torch.ones(new, total, dtype=torch.bool, device=x.device).tril(total - new)
        scores = scores.masked_fill(~seen, float("-inf"))
        context = (scores.softmax(dim=-1) @ v).transpose(1, 2).flatten(2)
        return self.out(context), cache
