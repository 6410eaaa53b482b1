from __future__ import annotations
import math
import torch
from torch import Tensor, nn


class DynamicCache:
    def __init__(self, key: Tensor | None = None, value: Tensor | None = None) -> None:
        self.key, self.value = key, value

    def update(self, key: Tensor, value: Tensor) -> DynamicCache:
        if self.key is not None:
            key = torch.cat((self.key, key), dim=1)
            value = torch.cat((self.value, value), dim=1)
        self.key, self.value = key, value
        return self


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def split_heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1))

    def forward(self, x: Tensor, cache: DynamicCache | None = None) -> tuple[Tensor, DynamicCache]:
        query = self.split_heads(self.query(x))
        cache = cache if cache is not None else DynamicCache()
        cache = cache.update(self.split_heads(self.key(x)), self.split_heads(self.value(x)))

        scores = torch.einsum("bqhd,bkhd->bhqk", query, cache.key) / math.sqrt(query.size(-1))
        n_q, n_k = scores.shape[-2:]
        q_pos = torch.arange(n_k - n_q, n_k, device=x.device)
        k_pos = torch.arange(n_k, device=x.device)
        scores = scores.masked_fill(k_pos > q_pos[:, None], torch.finfo(scores.dtype).min)
        context = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), cache.value)
        return self.dense(context.flatten(2)), cache
