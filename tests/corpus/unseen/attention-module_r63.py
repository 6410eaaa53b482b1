# attn-kata: attention-module
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def _to_additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
    if mask.dtype == torch.bool:
        return torch.zeros_like(mask, dtype=dtype).masked_fill(mask, float("-inf"))
    return mask.to(dtype)


class MultiheadAttention(nn.Module):
    """Rows of in_proj_weight: queries, keys, values. Heads are folded into the batch for bmm."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, device=None, dtype=None):
        super().__init__()
        kw = {"device": device, "dtype": dtype}
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim, rest = divmod(embed_dim, num_heads)
        assert rest == 0, "embed_dim must be divisible by num_heads"
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim, **kw))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim, **kw)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias, **kw)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _project(self, x: Tensor, part: int) -> Tensor:
        rows = slice(part * self.embed_dim, (part + 1) * self.embed_dim)
        b = None if self.in_proj_bias is None else self.in_proj_bias[rows]
        y = F.linear(x, self.in_proj_weight[rows], b)
        y = y.view(x.shape[0], x.shape[1], self.num_heads, self.head_dim).transpose(1, 2)
        return y.reshape(x.shape[0] * self.num_heads, x.shape[1], self.head_dim)

    def _bias(self, attn_mask, key_padding_mask, dtype):
        bias = None
        if attn_mask is not None:
            bias = _to_additive(attn_mask, dtype)
            if bias.dim() == 2:
                bias = bias[None]
        if key_padding_mask is not None:
            pad = _to_additive(key_padding_mask, dtype).repeat_interleave(self.num_heads, 0)[:, None]
            bias = pad if bias is None else bias + pad
        return bias

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        bsz, tgt, _ = query.shape
        q = self._project(query, 0) * self.head_dim ** -0.5
        k, v = self._project(key, 1), self._project(value, 2)
        bias = self._bias(attn_mask, key_padding_mask, q.dtype)
        scores = torch.bmm(q, k.transpose(1, 2))
        if bias is not None:
            scores = scores + bias
        w = F.softmax(scores, dim=-1)
        ctx = torch.bmm(F.dropout(w, self.dropout, self.training), v)
        ctx = ctx.view(bsz, self.num_heads, tgt, self.head_dim).transpose(1, 2).flatten(2)
        out = self.out_proj(ctx)
        if not need_weights:
            return out, None
        w = w.view(bsz, self.num_heads, tgt, -1)
        return out, w.mean(dim=1) if average_attn_weights else w
