# attn-kata: kvcache
from typing import NamedTuple, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class KVCache(NamedTuple):
    keys: Tensor
    values: Tensor

    @property
    def length(self) -> int:
        return self.keys.shape[-2]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, max_length: int = 256) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.output = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer(
            "causal", torch.tril(torch.ones(max_length, max_length, dtype=torch.bool)), persistent=False
        )

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: Optional[KVCache] = None) -> tuple[Tensor, KVCache]:
        q, k, v = map(self._heads, (self.query(x), self.key(x), self.value(x)))
        past = 0
        if cache is not None:
            past = cache.length
            k = torch.cat([cache.keys, k], dim=-2)
            v = torch.cat([cache.values, v], dim=-2)
        total = past + x.shape[1]
        visible = self.causal[past:total, :total]
        scores = torch.matmul(q, k.mT) * q.shape[-1] ** -0.5
        weights = F.softmax(scores.masked_fill(visible.logical_not(), float("-inf")), dim=-1)
        context = torch.matmul(weights, v).transpose(1, 2).flatten(2)
        return self.output(context), KVCache(k, v)
