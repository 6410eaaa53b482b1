import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.heads = num_heads
        self.rate = dropout
        self.W = nn.Parameter(torch.randn(4, embed_dim, embed_dim) * embed_dim ** -0.5)
        self.b = nn.Parameter(torch.zeros(4, 1, 1, embed_dim))

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        s = key.shape[1]
        h, d = self.heads, e // self.heads
        q = (query @ self.W[0] + self.b[0]).view(b, t, h, d).transpose(1, 2)
        k = (key @ self.W[1] + self.b[1]).view(b, s, h, d).transpose(1, 2)
        v = (value @ self.W[2] + self.b[2]).view(b, s, h, d).transpose(1, 2)
        s = q @ k.transpose(2, 3) / d ** 0.5
        if attn_mask is not None:
            mask = attn_mask.bool()
            if mask.dim() == 3:
                mask = mask.view(b, h, *mask.shape[1:])
            s = s.masked_fill(mask, float("-inf"))
        if key_padding_mask is not None:
            s = s.masked_fill(key_padding_mask.view(b, 1, 1, -1), float("-inf"))
        w = torch.softmax(s, dim=-1)
        o = nn.functional.dropout(w, self.rate, self.training) @ v
        o = o.transpose(1, 2).reshape(b, t, e) @ self.W[3] + self.b[3]
        if not need_weights:
            return o, None
        if average_attn_weights:
            w = w.sum(1) / h
        return o, w
