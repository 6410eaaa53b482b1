from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        assert embed_dim % num_heads == 0
        self.num_heads = num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _project(self, *sequences: Tensor):
        weights = self.in_proj_weight.chunk(3)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        for sequence, w, b in zip(sequences, weights, biases):
            yield F.linear(sequence, w, b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    @staticmethod
    def _additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
        if mask.dtype != torch.bool:
            return mask
        return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, float("-inf"))

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
        q, k, v = self._project(query, key, value)
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if attn_mask is not None:
            added = self._additive(attn_mask, scores.dtype)
            scores = scores + (added if added.ndim == 2 else added.unflatten(0, (-1, self.num_heads)))
        if key_padding_mask is not None:
            scores = scores + self._additive(key_padding_mask, scores.dtype)[:, None, None]
        weights = scores.softmax(dim=-1)
        context = F.dropout(weights, self.dropout, self.training) @ v
        output = self.out_proj(context.transpose(1, 2).flatten(2))
        if not need_weights:
            return output, None
        return output, weights.mean(dim=1) if average_attn_weights else weights
