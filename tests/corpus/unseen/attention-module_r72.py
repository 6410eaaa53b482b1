from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.n, self.p = num_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3, embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3, 1, embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        for w in self.in_proj_weight:
            nn.init.xavier_uniform_(w)

    def _project(self, i: int, t: Tensor) -> Tensor:
        """(b, l, e) -> (b * n, l, e / n)"""
        y = t.matmul(self.in_proj_weight[i].T)
        if self.in_proj_bias is not None:
            y = y + self.in_proj_bias[i]
        return y.unflatten(-1, (self.n, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        s = key.shape[1]
        q, k, v = (self._project(i, a) for i, a in enumerate((query, key, value)))
        add = q.new_zeros(b * self.n, t, s)
        if attn_mask is not None:
            add = add.masked_fill(attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else add + attn_mask
        if key_padding_mask is not None:
            add = add.masked_fill(key_padding_mask.repeat_interleave(self.n, 0)[:, None], float("-inf"))
        logits = torch.baddbmm(add, q, k.mT, alpha=(e // self.n) ** -0.5)
        w = logits.softmax(-1)
        ctx = torch.bmm(F.dropout(w, self.p, self.training), v)
        out = self.out_proj(ctx.view(b, self.n, t, -1).transpose(1, 2).flatten(2))
        if not need_weights:
            return out, None
        w = w.view(b, self.n, t, s)
        return out, w.mean(1) if average_attn_weights else w
