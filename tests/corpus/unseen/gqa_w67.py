from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """After keras.layers.GroupQueryAttention, with (batch, heads, length, length) masks."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_query_heads = num_heads
        self.num_key_value_heads = num_kv_heads
        self.num_repeats = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self._query_dense = nn.Linear(hidden_dim, hidden_dim)
        self._key_dense = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self._value_dense = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self._output_dense = nn.Linear(hidden_dim, hidden_dim)

    def _compute_attention_mask(self, mask: Tensor | None) -> Tensor | None:
        if mask is None:
            return None
        mask = mask.bool()
        if mask.shape[-2] == 1 and mask.shape[-1] > 1:
            # padding: from one flag a token to (batch, 1, T, S)
            query_mask = mask.transpose(-1, -2)
            value_mask = mask
            mask = torch.logical_and(query_mask, value_mask)
        return mask

    def _compute_attention(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None):
        scores = torch.einsum("btnh,bsnh->bnts", query, key) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        probs = torch.softmax(scores, dim=-1)
        return torch.einsum("bnts,bsnh->btnh", probs, value)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, _ = x.shape
        query = self._query_dense(x).reshape(batch, length, self.num_query_heads, self.head_dim)
        key = self._key_dense(x).reshape(batch, length, self.num_key_value_heads, self.head_dim)
        value = self._value_dense(x).reshape(batch, length, self.num_key_value_heads, self.head_dim)

        key = torch.repeat_interleave(key, self.num_repeats, dim=2)
        value = torch.repeat_interleave(value, self.num_repeats, dim=2)

        mask = self._compute_attention_mask(attention_mask)
        output = self._compute_attention(query, key, value, mask)
        return self._output_dense(torch.flatten(output, start_dim=2))
