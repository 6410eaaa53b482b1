"""Follows torch.nn.functional's own layout: in_proj_weight (3E, E), heads folded into the batch."""
import math
from typing import Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.init import constant_, xavier_uniform_


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty((3 * embed_dim, embed_dim)))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.empty(3 * embed_dim))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = nn.modules.linear.NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias)
        xavier_uniform_(self.in_proj_weight)
        if bias:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)

    def _in_projection_packed(self, q: Tensor, k: Tensor, v: Tensor):
        w = self.in_proj_weight.chunk(3)
        b = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        if q is k and k is v:
            return F.linear(q, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        return F.linear(q, w[0], b[0]), F.linear(k, w[1], b[1]), F.linear(v, w[2], b[2])

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
        q, k, v = (t.transpose(0, 1) for t in self._in_projection_packed(query, key, value))
        tgt_len, bsz, _ = q.shape
        src_len = k.shape[0]
        fold = bsz * self.num_heads
        q = q.reshape(tgt_len, fold, self.head_dim).transpose(0, 1)
        k = k.reshape(src_len, fold, self.head_dim).transpose(0, 1)
        v = v.reshape(src_len, fold, self.head_dim).transpose(0, 1)

        mask = q.new_zeros(1, 1, 1)
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = q.new_zeros(attn_mask.shape).masked_fill_(attn_mask, -math.inf)
            mask = mask + (attn_mask if attn_mask.dim() == 3 else attn_mask.unsqueeze(0))
        if key_padding_mask is not None:
            kpm = key_padding_mask.reshape(bsz, 1, 1, src_len).expand(-1, self.num_heads, -1, -1)
            mask = mask.masked_fill(kpm.reshape(fold, 1, src_len), -math.inf)

        weights = F.softmax(torch.baddbmm(mask, q * math.sqrt(1.0 / self.head_dim), k.mT), dim=-1)
        if self.dropout > 0.0 and self.training:
            weights = F.dropout(weights, p=self.dropout)
        out = torch.bmm(weights, v).transpose(0, 1).reshape(tgt_len, bsz, self.embed_dim)
        out = self.out_proj(out).transpose(0, 1)
        if not need_weights:
            return out, None
        weights = weights.view(bsz, self.num_heads, tgt_len, src_len)
        return out, weights.mean(dim=1) if average_attn_weights else weights
