# attn-kata: attention-module
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h = num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(embed_dim, embed_dim, bias=bias) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        q, k, v = (w(x).view(b, -1, self.h, e // self.h) for w, x in ((self.wq, query), (self.wk, key), (self.wv, value)))
        s = torch.einsum("bthd,bshd->bhts", q, k) * (e // self.h) ** -0.5
        if attn_mask is not None:
            m = attn_mask if attn_mask.ndim == 2 else attn_mask.view(b, self.h, t, -1)
            s = s.masked_fill(m, -torch.inf) if m.dtype is torch.bool else s + m
        elif key_padding_mask is not None:
            s = s.masked_fill(key_padding_mask.view(b, 1, 1, -1), -torch.inf)
        p = s.softmax(-1)
        o = self.wo(torch.einsum("bhts,bshd->bthd", self.drop(p), v).flatten(2))
        return o, (p.mean(1) if average_attn_weights else p) if need_weights else None
