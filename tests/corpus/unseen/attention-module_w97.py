from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def _bias(self, mask: Tensor, dtype: torch.dtype) -> Tensor:
        if mask.dtype != torch.bool:
            return mask
        return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, -math.inf)

    def _by_head(self, mask: Tensor, batch: int) -> Tensor:
        if mask.dim() == 2:
            return mask
        return mask.view(self.num_heads, batch, *mask.shape[1:]).transpose(0, 1)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        q, k, v = self._heads(self.q_proj(query)), self._heads(self.k_proj(key)), self._heads(self.v_proj(value))
        scores = q @ k.mT / math.sqrt(self.head_dim)
        if attn_mask is not None:
            scores = scores + self._by_head(self._bias(attn_mask, scores.dtype), query.shape[0])
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], -math.inf)
        weights = scores.softmax(-1)
        output = self.out_proj((self.dropout(weights) @ v).transpose(1, 2).flatten(2))
        if not need_weights:
            return output, None
        return output, weights.mean(1) if average_attn_weights else weights
