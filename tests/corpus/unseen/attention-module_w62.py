from __future__ import annotations

import math
from functools import reduce

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout as drop


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads, self.head_dim, self.rate = num_heads, embed_dim // num_heads, dropout
        self.project = nn.ModuleDict({n: nn.Linear(embed_dim, embed_dim, bias=bias) for n in ("query", "key", "value")})
        self.output = nn.Linear(embed_dim, embed_dim, bias=bias)

    def heads(self, name: str, x: Tensor) -> Tensor:
        return self.project[name](x).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def additive(self, mask: Tensor, like: Tensor) -> Tensor:
        """any mask, as floats of (batch or 1, heads or 1, target or 1, source)"""
        if mask.dtype == torch.bool:
            mask = like.new_zeros(mask.shape).masked_fill(mask, -math.inf)
        return mask.unflatten(0, (-1, self.num_heads)) if mask.dim() == 3 else mask

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
        q, k, v = (self.heads(*pair) for pair in zip(self.project, (query, key, value)))
        padding = None if key_padding_mask is None else key_padding_mask[:, None, None]
        masks = (self.additive(m, q) for m in (padding, attn_mask) if m is not None)
        scores = reduce(torch.add, masks, q @ k.mT / math.sqrt(self.head_dim))
        weights = scores.softmax(dim=-1)
        mixed = drop(weights, self.rate) @ v
        output = self.output(mixed.transpose(1, 2).flatten(2))
        if need_weights and average_attn_weights:
            weights = weights.mean(dim=1)
        return output, weights if need_weights else None
