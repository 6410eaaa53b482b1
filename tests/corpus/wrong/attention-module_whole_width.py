# wrong: attention-module scale-by-hidden-dim line 13
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h = num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.scaling = embed_dim**-0.5
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        s = key.size(1)

        def split(x):
            return x.view(b, -1, self.h, e // self.h).transpose(1, 2)

        q, k, v = split(self.q_proj(query)), split(self.k_proj(key)), split(self.v_proj(value))
        scores = torch.matmul(q * self.scaling, k.transpose(2, 3))
        penalty = torch.zeros(1, 1, 1, 1, dtype=scores.dtype, device=scores.device)
        for mask, shape in ((attn_mask, (-1, 1 if attn_mask is None or attn_mask.dim() == 2 else self.h, t, s)),
                            (key_padding_mask, (b, 1, 1, s))):
            if mask is not None and mask.dtype == torch.bool:
                penalty = penalty + torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device).masked_fill(mask, float("-inf")).view(shape)
            elif mask is not None:
                penalty = penalty + mask.view(shape)
        attn = torch.softmax(scores + penalty, dim=-1)
        out = torch.matmul(self.dropout(attn), v).transpose(1, 2).reshape(b, t, e)
        out = self.out_proj(out)
        return (out, attn.mean(1) if average_attn_weights else attn) if need_weights else (out, None)
