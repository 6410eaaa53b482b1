# attn-kata: kvcache
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class KeyValueCache:
    """Keys and values of the positions seen so far, each (batch, heads, length, head_dim)."""

    keys: Tensor
    values: Tensor

    @property
    def seq_length(self) -> int:
        return self.keys.shape[-2]

    @classmethod
    def extended(cls, past: Optional["KeyValueCache"], keys: Tensor, values: Tensor) -> "KeyValueCache":
        if past is None:
            return cls(keys=keys, values=values)
        return cls(
            keys=torch.cat([past.keys, keys], dim=-2),
            values=torch.cat([past.values, values], dim=-2),
        )


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, tensor: Tensor) -> Tensor:
        return tensor.view(*tensor.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        query = self._shape(self.q_proj(x))
        present = KeyValueCache.extended(
            cache, keys=self._shape(self.k_proj(x)), values=self._shape(self.v_proj(x))
        )
        total, new = present.seq_length, x.shape[1]

        cache_position = torch.arange(total - new, total, device=x.device)
        kv_position = torch.arange(total, device=x.device)
        causal_mask = kv_position[None, :] <= cache_position[:, None]

        attn_weights = torch.matmul(query, present.keys.transpose(-2, -1)) / math.sqrt(self.head_dim)
        attn_weights = attn_weights.masked_fill(~causal_mask, torch.finfo(attn_weights.dtype).min)
        attn_weights = torch.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, present.values)
        attn_output = attn_output.transpose(1, 2).reshape(x.shape)
        return self.o_proj(attn_output), present
