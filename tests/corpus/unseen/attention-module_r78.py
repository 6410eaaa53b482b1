from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ProjectedAttention(nn.Module):
    """Parameters named and laid out as torch has them."""

    def __init__(self, *, embed_dim: int, num_heads: int, dropout: float, bias: bool) -> None:
        super().__init__()
        assert embed_dim % num_heads == 0, "embed_dim must be divisible by num_heads"
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def projected(self, *sources: Tensor) -> Iterator[Tensor]:
        biases = [None] * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        for source, weight, bias in zip(sources, self.in_proj_weight.chunk(3), biases):
            yield F.linear(source, weight, bias).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


class MultiheadAttention(ProjectedAttention):
    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__(embed_dim=embed_dim, num_heads=num_heads, dropout=dropout, bias=bias)

    def _hidden(self, padding: Tensor | None, attn_mask: Tensor | None) -> Iterator[Tensor]:
        """Bool tensors that broadcast to the scores; True hides."""
        if padding is not None:
            yield padding[:, None, None, :]
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            yield self._per_head(attn_mask)

    def _per_head(self, attn_mask: Tensor) -> Tensor:
        return attn_mask.unflatten(0, (-1, self.num_heads)) if attn_mask.dim() == 3 else attn_mask

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
        q, k, v = self.projected(query, key, value)
        scores = q @ k.mT / math.sqrt(self.head_dim)
        if attn_mask is not None and attn_mask.is_floating_point():
            scores = scores + self._per_head(attn_mask)
        if hidden := list(self._hidden(key_padding_mask, attn_mask)):
            scores = scores.masked_fill(functools.reduce(operator.or_, hidden), -math.inf)
        weights = scores.softmax(dim=-1)
        context = F.dropout(weights, self.dropout, self.training) @ v
        output = self.out_proj(context.transpose(1, 2).flatten(2))
        match need_weights, average_attn_weights:
            case False, _:
                return output, None
            case _, True:
                return output, weights.mean(dim=1)
            case _:
                return output, weights
