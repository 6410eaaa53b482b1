from __future__ import annotations

from typing import Optional, Tuple

import torch
from torch import Tensor, nn


class MaskMerger:
    """Merges both masks into one that says what is hidden and one that is added."""

    def __init__(self, num_heads: int) -> None:
        self.num_heads = num_heads

    def merge(self, scores: Tensor, padding: Optional[Tensor], attn: Optional[Tensor]) -> Tensor:
        if attn is not None:
            if attn.dim() == 3:
                attn = attn.reshape(self.num_heads, -1, *attn.shape[1:]).transpose(0, 1)
            scores = scores.masked_fill(attn, -torch.inf) if attn.dtype == torch.bool else scores + attn
        if padding is not None:
            scores = scores.masked_fill(padding[:, None, None, :], -torch.inf)
        return scores


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.merger = MaskMerger(num_heads)
        self.projections = nn.ModuleDict(
            {role: nn.Linear(embed_dim, embed_dim, bias=bias) for role in ("query", "key", "value", "output")}
        )
        self.dropout = nn.Dropout(p=dropout)

    def _heads(self, role: str, tensor: Tensor) -> Tensor:
        return self.projections[role](tensor).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

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
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / q.size(-1) ** 0.5
        probabilities = self.merger.merge(scores, key_padding_mask, attn_mask).softmax(dim=-1)
        context = torch.einsum("bhts,bhsd->bthd", self.dropout(probabilities), v).flatten(2)
        output = self.projections["output"](context)
        if need_weights is False:
            return output, None
        return output, probabilities.mean(1) if average_attn_weights else probabilities
