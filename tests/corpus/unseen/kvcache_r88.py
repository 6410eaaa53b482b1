"""HF's Cache idea: an object that is asked to update itself; here update() gives a new object."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class DynamicCache:
    key_cache: Tensor | None = None
    value_cache: Tensor | None = None

    def get_seq_length(self) -> int:
        return 0 if self.key_cache is None else self.key_cache.shape[-2]

    def update(self, key_states: Tensor, value_states: Tensor) -> DynamicCache:
        if self.key_cache is None:
            return replace(self, key_cache=key_states, value_cache=value_states)
        return replace(
            self,
            key_cache=torch.cat([self.key_cache, key_states], dim=-2),
            value_cache=torch.cat([self.value_cache, value_states], dim=-2),
        )


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, DynamicCache]:
        past = DynamicCache() if cache is None else cache
        input_shape = x.shape[:-1]
        hidden_shape = (*input_shape, -1, self.head_dim)
        query_states = self.q_proj(x).view(hidden_shape).transpose(1, 2)
        key_states = self.k_proj(x).view(hidden_shape).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)

        cache_position = torch.arange(past.get_seq_length(), past.get_seq_length() + x.size(1), device=x.device)
        present = past.update(key_states, value_states)

        attn_weights = torch.matmul(query_states, present.key_cache.transpose(2, 3)) * self.head_dim**-0.5
        if x.size(1) > 1:     # one new token sees all there is
            kv_index = torch.arange(present.get_seq_length(), device=x.device)
            later = kv_index > cache_position.reshape(-1, 1)
            attn_weights = attn_weights.masked_fill(later, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, present.value_cache)
        return self.o_proj(attn_output.transpose(1, 2).reshape(*input_shape, -1)), present
