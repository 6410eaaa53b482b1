# attn-kata: cross-cache
from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Memory(NamedTuple):
    kv: Tensor    # (2, batch, heads, memory_length, head_dim)
    bias: Tensor  # (batch, 1, 1, memory_length), 0 or -inf


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.shape = (num_heads, hidden_dim // num_heads)
        self.w_q = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_kv = nn.Parameter(torch.empty(2, hidden_dim, *self.shape))
        self.w_o = nn.Parameter(torch.empty(*self.shape, hidden_dim))
        bound = hidden_dim ** -0.5
        for w in self.parameters():
            nn.init.uniform_(w, -bound, bound)

    def encode(self, memory: Tensor, lengths: Tensor) -> Memory:
        kv = torch.einsum("bmc,zchd->zbhmd", memory, self.w_kv)
        places = torch.arange(memory.shape[1], device=memory.device)
        bias = torch.zeros(memory.shape[:2], dtype=memory.dtype, device=memory.device)
        bias = bias.masked_fill(places >= lengths.to(memory.device)[:, None], -math.inf)
        return Memory(kv, bias[:, None, None, :])

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Memory | None = None):
        cache = self.encode(memory, memory_lengths) if cache is None else cache
        key, value = cache.kv
        query = (x @ self.w_q).unflatten(-1, self.shape)
        scores = torch.einsum("blhd,bhmd->bhlm", query, key) / math.sqrt(self.shape[1])
        weights = (scores + cache.bias).softmax(-1)
        out = torch.einsum("bhlm,bhmd,hdc->blc", weights, value, self.w_o)
        return out, cache
