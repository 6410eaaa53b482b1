from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
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

    def _additive(self, mask: Tensor, dtype: torch.dtype) -> Tensor:
        """As floats that are added to scores of (batch, heads, target, source)."""
        if mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, float("-inf"))
        if mask.dim() == 3:
            mask = mask.unflatten(0, (-1, self.num_heads))
        return mask

    def _light(self, q, k, v, padding, mask) -> Tensor:
        # queries in pieces, no (target, source) matrix for the caller
        bias = padding if mask is None else mask
        pieces = []
        for start in range(0, q.shape[2], 128):
            rows = slice(start, start + 128)
            scores = q[:, :, rows] @ k.mT
            if bias is not None:
                scores = scores + (bias if bias.shape[-2] == 1 else bias[..., rows, :])
            pieces.append(self.dropout(scores.softmax(-1)) @ v)
        return torch.cat(pieces, dim=2)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
        average_attn_weights=True,
    ):
        q = self._heads(self.q_proj(query)) / math.sqrt(self.head_dim)
        k, v = self._heads(self.k_proj(key)), self._heads(self.v_proj(value))
        padding = mask = None
        if key_padding_mask is not None:
            padding = self._additive(key_padding_mask, q.dtype)[:, None, None, :]
        if attn_mask is not None:
            mask = self._additive(attn_mask, q.dtype)
        if not need_weights:
            context = self._light(q, k, v, padding, mask)
            return self.out_proj(context.transpose(1, 2).flatten(2)), None
        scores = q @ k.mT
        for extra in (padding, mask):
            if extra is not None:
                scores = scores + extra
        weights = scores.softmax(dim=-1)
        context = self.dropout(weights) @ v
        output = self.out_proj(context.transpose(1, 2).flatten(2))
        return output, weights.mean(dim=1) if average_attn_weights else weights
