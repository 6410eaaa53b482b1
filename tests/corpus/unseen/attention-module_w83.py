from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(embed_dim, embed_dim, bias=bias) for _ in range(4)
        )
        self.dropout = nn.Dropout(dropout)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        batch, target, _ = query.shape
        source = key.size(1)
        q, k, v = self._heads(self.q_proj(query)), self._heads(self.k_proj(key)), self._heads(self.v_proj(value))
        scores = q @ k.mT / math.sqrt(self.head_dim)
        lowest = torch.finfo(scores.dtype).min
        if attn_mask is not None:
            if attn_mask.size(0) == batch * self.num_heads:
                attn_mask = attn_mask.reshape(batch, self.num_heads, -1, source)
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(attn_mask, lowest)
            else:
                scores = scores + attn_mask
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], lowest)
        weights = self.dropout(scores.softmax(dim=-1))
        output = self.out_proj((weights @ v).transpose(1, 2).flatten(2))
        if not need_weights:
            return output, None
        return output, weights.mean(dim=1) if average_attn_weights else weights
