from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class LayerCache:
    """What HF calls a DynamicCache, for one layer and immutable."""

    key_states: torch.Tensor
    value_states: torch.Tensor

    def get_seq_length(self) -> int:
        return self.key_states.shape[-2]

    def extended(self, key_states, value_states) -> "LayerCache":
        return LayerCache(
            torch.cat((self.key_states, key_states), dim=-2),
            torch.cat((self.value_states, value_states), dim=-2),
        )


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache: Optional[LayerCache] = None):
        hidden_shape = (*x.shape[:-1], -1, self.head_dim)
        query_states = self.q_proj(x).view(hidden_shape).transpose(1, 2)
        key_states = self.k_proj(x).view(hidden_shape).transpose(1, 2)
        value_states = self.v_proj(x).view(hidden_shape).transpose(1, 2)

        past = 0 if cache is None else cache.get_seq_length()
        if cache is None:
            cache = LayerCache(key_states, value_states)
        else:
            cache = cache.extended(key_states, value_states)

        attn_weights = torch.matmul(query_states, cache.key_states.transpose(2, 3)) * self.scaling
        cache_position = torch.arange(past, past + x.shape[1], device=x.device)
        kv_position = torch.arange(cache.get_seq_length(), device=x.device)
        future = kv_position[None, :] > cache_position[:, None]
        attn_weights = attn_weights.masked_fill(future, torch.finfo(attn_weights.dtype).min)
        attn_weights = F.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, cache.value_states).transpose(1, 2)
        return self.o_proj(attn_output.reshape(x.shape)), cache
