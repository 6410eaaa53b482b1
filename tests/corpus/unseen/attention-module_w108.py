from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def _merge_masks(self, bsz: int, src_len: int, key_padding_mask, attn_mask, like: Tensor) -> Tensor:
        """Everything as one additive mask, (bsz * num_heads, tgt or 1, src)."""
        neg = float("-inf")
        bias = like.new_zeros(bsz * self.num_heads, 1, src_len)
        if key_padding_mask is not None:
            pad = key_padding_mask[:, None, None, :].expand(-1, self.num_heads, -1, -1).reshape(-1, 1, src_len)
            bias = bias.masked_fill(pad, neg)
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = like.new_zeros(attn_mask.shape).masked_fill(attn_mask, neg)
            bias = bias + attn_mask
        return bias

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        bsz, tgt_len, _ = query.shape
        src_len = key.shape[1]
        fold = lambda t: (t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2).flatten(0, 1))
        q, k, v = fold(self.q_proj(query)), fold(self.k_proj(key)), fold(self.v_proj(value))

        bias = self._merge_masks(bsz, src_len, key_padding_mask, attn_mask, q)
        scores = torch.baddbmm(bias, q, k.transpose(1, 2))
        weights = F.softmax(scores / math.sqrt(self.head_dim), dim=-1)
        weights = F.dropout(weights, self.dropout, self.training)

        out = torch.bmm(weights, v).unflatten(0, (bsz, self.num_heads))
        out = self.out_proj(out.transpose(1, 2).flatten(2))
        if not need_weights:
            return out, None
        weights = weights.unflatten(0, (bsz, self.num_heads))
        return out, weights.mean(dim=1) if average_attn_weights else weights
