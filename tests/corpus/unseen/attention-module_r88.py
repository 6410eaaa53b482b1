from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _project(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        weights = self.in_proj_weight.chunk(3)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [
            F.linear(t, w, b).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
            for t, w, b in zip(inputs, weights, biases)
        ]

    def _bias(self, like: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None) -> Tensor:
        """Everything that is added to the scores, (1 | batch, 1 | heads, 1 | target, source)."""
        total = like.new_zeros(1, 1, 1, like.shape[-1])
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=like.dtype).masked_fill(attn_mask, -math.inf)
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.unflatten(0, (-1, self.num_heads))
            total = total + attn_mask
        if key_padding_mask is not None:
            total = total.masked_fill(key_padding_mask[:, None, None], -math.inf)
        return total

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
        q, k, v = self._project((query, key, value))
        scores = q @ k.mT / math.sqrt(self.head_dim)
        weights = (scores + self._bias(scores, key_padding_mask, attn_mask)).softmax(dim=-1)
        context = F.dropout(weights, self.dropout, self.training) @ v
        output = self.out_proj(context.transpose(1, 2).flatten(2))
        if not need_weights:
            return output, None
        return output, weights.mean(dim=1) if average_attn_weights else weights
