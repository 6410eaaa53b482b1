# wrong: mqa nondeterministic line 30
# fair: nondeterministic 28, 30, 31
"""Multi-query attention in the manner of GPTBigCode."""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError(f"`hidden_dim` {hidden_dim} is not divisible by `num_heads` {num_heads}")
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_dim = self.head_dim
        self.c_attn = nn.Linear(self.embed_dim, self.embed_dim + 2 * self.kv_dim)
        self.c_proj = nn.Linear(self.embed_dim, self.embed_dim)
        self._bias_key: Optional[tuple] = None
        self._bias: Optional[Tensor] = None

    def _additive_mask(self, attention_mask: Tensor, dtype: torch.dtype) -> Tensor:
        key = (attention_mask.shape, attention_mask.device, dtype)
        if key != self._bias_key:
            bias = torch.zeros(attention_mask.shape, dtype=dtype, device=attention_mask.device)
            self._bias = bias.masked_fill(attention_mask == 0, torch.finfo(dtype).min)
            self._bias_key = key
        return self._bias

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        batch_size, length, _ = x.shape
        query, key, value = self.c_attn(x).split((self.embed_dim, self.kv_dim, self.kv_dim), dim=2)
        query = query.view(batch_size, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

        attn_weights = torch.matmul(query, key.unsqueeze(1).transpose(-1, -2)) / self.head_dim**0.5
        if attention_mask is not None:
            attn_weights = attn_weights + self._additive_mask(attention_mask, attn_weights.dtype)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)

        attn_output = torch.matmul(attn_weights, value.unsqueeze(1))
        attn_output = attn_output.permute(0, 2, 1, 3).reshape(batch_size, length, self.embed_dim)
        return self.c_proj(attn_output)
