from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn

NEGATIVE_INFINITY = float("-inf")


class MaskMixin:
    """Brings both masks to one bool mask and one additive bias, either of which may be None."""

    num_heads: int

    def prepare_masks(
        self, attn_mask: Optional[Tensor], key_padding_mask: Optional[Tensor], batch: int
    ) -> tuple[Optional[Tensor], Optional[Tensor]]:
        hidden = bias = None
        if attn_mask is not None:
            if attn_mask.ndim == 3:
                attn_mask = attn_mask.reshape(batch, self.num_heads, *attn_mask.shape[-2:])
            if attn_mask.dtype == torch.bool:
                hidden = attn_mask
            else:
                bias = attn_mask
        if key_padding_mask is not None:
            padding = key_padding_mask.view(batch, 1, 1, -1)
            hidden = padding if hidden is None else hidden & padding
        return hidden, bias


class MultiheadAttention(MaskMixin, nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scaling = (embed_dim // num_heads) ** -0.5
        self.projections = nn.ModuleDict(
            {name: nn.Linear(embed_dim, embed_dim, bias=bias) for name in ("query", "key", "value", "output")}
        )
        self.dropout = nn.Dropout(dropout)

    def project(self, name: str, states: Tensor) -> Tensor:
        return self.projections[name](states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

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
        hidden, bias = self.prepare_masks(attn_mask, key_padding_mask, query.shape[0])
        scores = self.project("query", query) @ self.project("key", key).transpose(-1, -2) * self.scaling
        if bias is not None:
            scores = scores + bias
        if hidden is not None:
            scores = scores.masked_fill(hidden, NEGATIVE_INFINITY)
        weights = scores.softmax(dim=-1)
        context = self.dropout(weights) @ self.project("value", value)
        output = self.projections["output"](context.transpose(1, 2).flatten(-2))
        if not need_weights:
            return output, None
        return output, weights.mean(dim=1) if average_attn_weights else weights
