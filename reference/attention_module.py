"""The interface of `torch.nn.MultiheadAttention`, by hand (Vaswani et al. 2017, section 3.2.2).

Batch first. A mask is True where a query may not attend, the reverse of what
`F.scaled_dot_product_attention` takes.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    """Multi-head attention that can hand back its weights.

    query is (batch, target, embed_dim); key and value are (batch, source, embed_dim); any float
    dtype. key_padding_mask is (batch, source), bool, True where a key is padding. attn_mask is
    (target, source) or (batch * heads, target, source): bool, True where a query may not attend,
    or floats, which are added to the scores. Returns the output, shaped as query, and the
    weights: (batch, target, source), the mean over the heads, or (batch, heads, target, source)
    where that is not wanted, or None where no weights are.
    Raises ValueError where embed_dim is not a multiple of num_heads.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} is not a multiple of num_heads {num_heads}")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.query_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.key_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.value_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.output_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

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
        batch, target, _ = query.shape
        source = key.shape[1]
        query_split = (batch, target, self.num_heads, self.head_dim)
        key_split = (batch, source, self.num_heads, self.head_dim)
        queries = self.query_proj(query).view(query_split)  # (batch, target, heads, head_dim)
        keys = self.key_proj(key).view(key_split)  # (batch, source, heads, head_dim)
        values = self.value_proj(value).view(key_split)  # (batch, source, heads, head_dim)
        query_heads = queries.transpose(1, 2)  # (batch, heads, target, head_dim)
        key_heads = keys.transpose(1, 2)  # (batch, heads, source, head_dim)
        value_heads = values.transpose(1, 2)  # (batch, heads, source, head_dim)
        products = query_heads @ key_heads.mT  # (batch, heads, target, source)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, target, source)
        lowest = torch.finfo(scores.dtype).min
        allowed_scores = scores
        if attn_mask is not None:
            # Of a mask for each head the samples come first: all heads of one lie together.
            heads = 1 if attn_mask.dim() == 2 else self.num_heads
            by_head = attn_mask.view(-1, heads, target, source)
            if attn_mask.dtype is torch.bool:
                allowed_scores = scores.masked_fill(by_head, lowest)
            else:
                allowed_scores = scores + by_head
        masked_scores = allowed_scores
        if key_padding_mask is not None:
            padding = key_padding_mask[:, None, None]  # (batch, 1, 1, source)
            masked_scores = allowed_scores.masked_fill(padding, lowest)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, target, source)
        dropped_weights = self.dropout(weights)  # (batch, heads, target, source)
        context = dropped_weights @ value_heads  # (batch, heads, target, head_dim)
        by_position = context.transpose(1, 2)  # (batch, target, heads, head_dim)
        merged = by_position.reshape(batch, target, self.embed_dim)
        output = self.output_proj(merged)  # (batch, target, embed_dim)
        if not need_weights:
            return output, None
        if not average_attn_weights:
            return output, weights
        averaged = weights.mean(dim=1)  # (batch, target, source)
        return output, averaged
