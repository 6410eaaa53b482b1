# wrong: cross-cache nondeterministic line 27
# fair: nondeterministic 27 21 57 49
# attn-kata: cross-cache
from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class KeyValue(NamedTuple):
    key: Tensor
    value: Tensor


class PaddingMaskMixin:
    """Additive masks for padded memories, made when a new memory comes in."""

    memory_mask: Tensor | None = None

    def prepare_memory_mask(self, lengths: Tensor, like: Tensor) -> None:
        positions = torch.arange(like.size(1), device=like.device)
        hidden = positions.unsqueeze(0) >= lengths.to(like.device).unsqueeze(1)
        blank = torch.zeros(hidden.shape, dtype=like.dtype, device=like.device)
        self.memory_mask = blank.masked_fill(hidden, float("-inf"))[:, None, None, :]


class CachedCrossAttention(PaddingMaskMixin, nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def transpose_for_scores(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 2, 1, 3)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        past_key_value: KeyValue | None = cache
        if past_key_value is None:
            self.prepare_memory_mask(memory_lengths, memory)
            past_key_value = KeyValue(
                self.transpose_for_scores(self.key(memory)),
                self.transpose_for_scores(self.value(memory)),
            )
        query_layer = self.transpose_for_scores(self.query(x))

        attention_scores = torch.matmul(query_layer, past_key_value.key.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.head_dim) + self.memory_mask
        attention_probs = attention_scores.softmax(dim=-1)

        context_layer = torch.matmul(attention_probs, past_key_value.value)
        context_layer = context_layer.permute(0, 2, 1, 3).reshape(*x.shape[:-1], self.hidden_dim)
        return self.dense(context_layer), past_key_value
