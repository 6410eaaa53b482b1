from __future__ import annotations

from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _in_projection(self, *inputs: Tensor):
        weights = self.in_proj_weight.chunk(3)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        for x, w, b in zip(inputs, weights, biases):
            n, length, _ = x.shape
            x = F.linear(x, w, b).view(n, length, self.num_heads, self.head_dim)
            yield x.transpose(1, 2).reshape(n * self.num_heads, length, self.head_dim)

    def _merge_masks(self, q: Tensor, k: Tensor, key_padding_mask: Optional[Tensor],
                     attn_mask: Optional[Tensor]) -> Tensor:
        """One additive mask of (batch * num_heads, target, source) for both."""
        merged = q.new_zeros(q.size(0), q.size(1), k.size(1))
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                merged = merged.masked_fill(attn_mask, float("-inf"))
            else:
                merged = merged + attn_mask
        if key_padding_mask is not None:
            padding = key_padding_mask.repeat_interleave(self.num_heads, dim=0).unsqueeze(1)
            merged = merged.masked_fill(padding, float("-inf"))
        return merged

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
        bsz, tgt_len, _ = query.shape
        q, k, v = self._in_projection(query, key, value)
        scale = self.head_dim ** -0.5
        mask = self._merge_masks(q, k, key_padding_mask, attn_mask)
        logits = torch.baddbmm(mask, q, k.transpose(1, 2), beta=scale, alpha=scale)
        weights = F.softmax(logits, dim=-1)
        attn = torch.bmm(F.dropout(weights, self.dropout, self.training), v)
        attn = attn.view(bsz, self.num_heads, tgt_len, self.head_dim)
        output = self.out_proj(attn.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim))
        if not need_weights:
            return output, None
        weights = weights.view(bsz, self.num_heads, tgt_len, -1)
        return output, weights.mean(dim=1) if average_attn_weights else weights
