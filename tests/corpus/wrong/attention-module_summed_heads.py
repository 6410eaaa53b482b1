# wrong: attention-module returned-not-mean line 29
# fair: returned-not-mean 37
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        hd = embed_dim // num_heads
        self.qs = nn.ModuleList(nn.Linear(embed_dim, hd, bias=bias) for _ in range(num_heads))
        self.ks = nn.ModuleList(nn.Linear(embed_dim, hd, bias=bias) for _ in range(num_heads))
        self.vs = nn.ModuleList(nn.Linear(embed_dim, hd, bias=bias) for _ in range(num_heads))
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        outs, total, every = [], 0, []
        for i, (fq, fk, fv) in enumerate(zip(self.qs, self.ks, self.vs)):
            q, k, v = fq(query), fk(key), fv(value)
            s = q @ k.transpose(1, 2) * q.size(-1) ** -0.5
            if attn_mask is not None:
                m = attn_mask[i :: len(self.qs)] if attn_mask.dim() == 3 else attn_mask
                s = s.masked_fill(m, float("-inf")) if m.dtype == torch.bool else s + m
            if key_padding_mask is not None:
                s = s.masked_fill(key_padding_mask.unsqueeze(1), float("-inf"))
            a = s.softmax(dim=-1)
            total = total + a
            every.append(a)
            outs.append(self.drop(a) @ v)
        out = self.out(torch.cat(outs, dim=-1))
        if not need_weights:
            return out, None
        if not average_attn_weights:
            return out, torch.stack(every, dim=1)
        return out, total
