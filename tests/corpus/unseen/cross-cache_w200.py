# attn-kata: cross-cache
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True, eq=False)
class CrossAttentionCache:
    key: Tensor
    value: Tensor


class CachedCrossAttention(nn.Module):
    """Cross-attention whose memory side is computed once per sequence."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _shape(self, states: Tensor) -> Tensor:
        batch, length, _ = states.shape
        return states.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def prefill(self, memory: Tensor, memory_lengths: Tensor) -> CrossAttentionCache:
        # padding is removed here, once, so that later calls need no mask
        steps = torch.arange(memory.size(1), device=memory.device)
        padding = steps[None, :] >= memory_lengths.to(memory.device)[:, None]
        memory = memory.masked_fill(padding.unsqueeze(-1), 0.0)
        return CrossAttentionCache(
            key=self._shape(self.k_proj(memory)),
            value=self._shape(self.v_proj(memory)),
        )

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        if cache is None:
            cache = self.prefill(memory, memory_lengths)
        query = self._shape(self.q_proj(x))
        scores = query @ cache.key.transpose(-2, -1) / math.sqrt(self.head_dim)
        weights = scores.softmax(dim=-1)
        context = (weights @ cache.value).transpose(1, 2).flatten(2)
        return self.out_proj(context), cache
