from __future__ import annotations

from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def _canonical_mask(mask: Optional[Tensor], dtype: torch.dtype) -> Optional[Tensor]:
    if mask is None or mask.is_floating_point():
        return mask
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask.bool(), float("-inf"))


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Optional[Tensor]) -> list[Tensor]:
    E = q.size(-1)
    if k is v and q is k:
        return list(F.linear(q, w, b).chunk(3, dim=-1))
    if k is v:
        w_q, w_kv = w.split([E, 2 * E])
        b_q, b_kv = (None, None) if b is None else b.split([E, 2 * E])
        return [F.linear(q, w_q, b_q), *F.linear(k, w_kv, b_kv).chunk(2, dim=-1)]
    bs = [None] * 3 if b is None else b.chunk(3)
    return [F.linear(x, wi, bi) for x, wi, bi in zip((q, k, v), w.chunk(3), bs)]


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads"
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

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
        src_len = key.size(1)
        q, k, v = (
            t.view(bsz, -1, self.num_heads, self.head_dim).transpose(1, 2).flatten(0, 1)
            for t in _in_projection_packed(query, key, value, self.in_proj_weight, self.in_proj_bias)
        )
        attn_mask = _canonical_mask(attn_mask, q.dtype)
        if attn_mask is not None and attn_mask.dim() == 2:
            attn_mask = attn_mask.unsqueeze(0)
        key_padding_mask = _canonical_mask(key_padding_mask, q.dtype)
        if key_padding_mask is not None:
            key_padding_mask = (
                key_padding_mask.view(bsz, 1, 1, src_len)
                .expand(-1, self.num_heads, -1, -1)
                .reshape(bsz * self.num_heads, 1, src_len)
            )
            attn_mask = key_padding_mask if attn_mask is None else attn_mask + key_padding_mask

        q = q * self.head_dim**-0.5
        scores = torch.bmm(q, k.mT) if attn_mask is None else torch.baddbmm(
            attn_mask.expand(bsz * self.num_heads, tgt_len, src_len), q, k.mT
        )
        weights = scores.softmax(dim=-1)
        dropped = F.dropout(weights, p=self.dropout, training=self.training)
        context = torch.bmm(dropped, v).view(bsz, self.num_heads, tgt_len, self.head_dim)
        output = self.out_proj(context.transpose(1, 2).reshape(bsz, tgt_len, self.embed_dim))
        if not need_weights:
            return output, None
        weights = weights.view(bsz, self.num_heads, tgt_len, src_len)
        return output, weights.mean(dim=1) if average_attn_weights else weights
