from __future__ import annotations

import math
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(f"embed_dim {embed_dim} is no multiple of num_heads {num_heads}")
        self.num_heads = num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _in_projection(self, *inputs: Tensor) -> list[Tensor]:
        weights = self.in_proj_weight.chunk(3)
        biases = (None, None, None) if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [
            F.linear(x, w, b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x, w, b in zip(inputs, weights, biases)
        ]

    def _merge_masks(self, attn_mask: Optional[Tensor], padding: Optional[Tensor], like: Tensor) -> Tensor:
        """One float mask that broadcasts to (batch, heads, target, source)."""
        merged = like.new_zeros(())
        if padding is not None:
            merged = like.new_zeros(padding.shape).masked_fill(padding, -math.inf)[:, None, None]
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=like.dtype).masked_fill(attn_mask, -math.inf)
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(-1, self.num_heads, *attn_mask.shape[1:])
            merged = merged + attn_mask
        return merged

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Optional[Tensor] = None,
        need_weights: bool = True,
        attn_mask: Optional[Tensor] = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Optional[Tensor]]:
        q, k, v = self._in_projection(query, key, value)
        mask = self._merge_masks(attn_mask, key_padding_mask, q)
        logits = (q @ k.mT + mask).mul(q.shape[-1] ** -0.5)
        weights = torch.softmax(logits, dim=-1)
        weights = F.dropout(weights, self.dropout, self.training)
        context = (weights @ v).transpose(1, 2).flatten(2)
        output = self.out_proj(context)
        if not need_weights:
            return output, None
        return output, (weights.mean(1) if average_attn_weights else weights)
