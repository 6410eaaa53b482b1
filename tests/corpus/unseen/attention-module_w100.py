from __future__ import annotations

import math
from typing import Optional, Tuple

import torch
from torch import Tensor, nn


class MaskMerger:
    """Collects what is hidden (bool) and what is added (float)."""

    def __init__(self, num_heads: int):
        self.num_heads = num_heads
        self.hidden: Optional[Tensor] = None
        self.added: Optional[Tensor] = None

    def hide(self, mask: Tensor) -> None:
        self.hidden = mask if self.hidden is None else self.hidden & mask

    def with_padding(self, key_padding_mask: Optional[Tensor]) -> MaskMerger:
        if key_padding_mask is not None:
            self.hide(key_padding_mask[:, None, None, :])
        return self

    def with_attention(self, attn_mask: Optional[Tensor]) -> MaskMerger:
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(-1, self.num_heads, *attn_mask.shape[1:])
            if attn_mask.dtype == torch.bool:
                self.hide(attn_mask)
            else:
                self.added = attn_mask
        return self

    def apply(self, scores: Tensor) -> Tensor:
        if self.added is not None:
            scores = scores + self.added
        if self.hidden is not None:
            scores = scores.masked_fill(self.hidden, float("-inf"))
        return scores


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        names = ("query", "key", "value", "out")
        self.project = nn.ModuleDict({name: nn.Linear(embed_dim, embed_dim, bias=bias) for name in names})
        self.dropout = nn.Dropout(dropout)

    def _heads(self, name: str, sequence: Tensor) -> Tensor:
        return self.project[name](sequence).unflatten(2, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Optional[Tensor] = None,
        need_weights: bool = True,
        attn_mask: Optional[Tensor] = None,
        average_attn_weights: bool = True,
    ) -> Tuple[Tensor, Optional[Tensor]]:
        q, k, v = self._heads("query", query), self._heads("key", key), self._heads("value", value)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        merger = MaskMerger(self.num_heads).with_padding(key_padding_mask).with_attention(attn_mask)
        weights = merger.apply(scores).softmax(dim=-1)
        context = torch.matmul(self.dropout(weights), v).transpose(1, 2).flatten(2)
        returned = None
        if need_weights:
            returned = weights.mean(1) if average_attn_weights else weights
        return self.project["out"](context), returned
