"""Incremental attention with an explicit, immutable cache pytree (nothing lives on the module)."""
from typing import NamedTuple, Optional

import torch
from torch import nn


class KVCache(NamedTuple):
    key: torch.Tensor    # [b, s, h, d]
    value: torch.Tensor  # [b, s, h, d]

    @classmethod
    def init(cls, like):
        return cls(like[:, :0], like[:, :0])

    def update(self, key, value):
        return self._replace(
            key=torch.concatenate((self.key, key), dim=1),
            value=torch.concatenate((self.value, value), dim=1),
        )

    @property
    def index(self):
        return self.key.shape[1]


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.kernel_qkv = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.kernel_out = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)

    def forward(self, x, cache: Optional[KVCache] = None):
        proj = torch.einsum("btc,ncf->nbtf", x, self.kernel_qkv)
        query, key, value = proj.unflatten(-1, (self.num_heads, -1)).unbind()
        if cache is None:
            cache = KVCache.init(key)
        start, cache = cache.index, cache.update(key, value)
        logits = torch.einsum("bqhd,bkhd->bhqk", query, cache.key) / query.shape[-1] ** 0.5
        q_pos = start + torch.arange(x.shape[1], device=x.device)
        k_pos = torch.arange(cache.index, device=x.device)
        logits = torch.where(
            q_pos[:, None] >= k_pos[None, :], logits, torch.finfo(logits.dtype).min
        )
        weights = logits.softmax(dim=-1)
        context = torch.einsum("bhqk,bkhd->bqhd", weights, cache.value).flatten(2)
        return context @ self.kernel_out, cache
