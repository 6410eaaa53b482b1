from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class KVCache:
    keys: Tensor
    values: Tensor

    def __len__(self) -> int:
        return self.keys.shape[2]

    def append(self, keys: Tensor, values: Tensor) -> KVCache:
        return KVCache(torch.cat([self.keys, keys], 2), torch.cat([self.values, values], 2))


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t: Tensor) -> Tensor:
        batch, length, width = t.shape
        return t.view(batch, length, self.num_heads, width // self.num_heads).transpose(1, 2)

    def forward(self, x: Tensor, cache: KVCache | None = None) -> tuple[Tensor, KVCache]:
        query = self.heads(self.to_q(x))
        key, value = (self.heads(t) for t in self.to_kv(x).chunk(2, dim=-1))
        offset = 0
        if cache is None:
            cache = KVCache(key, value)
        else:
            offset = len(cache)
            cache = cache.append(key, value)
        length = x.shape[1]
        scores = query @ cache.keys.mT / query.shape[-1] ** 0.5
        position = torch.arange(length, device=x.device) + offset
        visible = torch.arange(len(cache), device=x.device) <= position[:, None]
        scores = torch.where(visible, scores, torch.finfo(scores.dtype).min)
        context = scores.softmax(dim=-1) @ cache.values
        return self.to_out(context.transpose(1, 2).reshape(x.shape)), cache
