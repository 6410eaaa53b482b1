# wrong: attention-module mask-added line 27
import math

import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wk = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wv = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.wo = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        s, h = key.shape[1], self.num_heads
        q = self.wq(query).view(b, t, h, e // h).transpose(1, 2)
        k = self.wk(key).view(b, s, h, e // h).transpose(1, 2)
        v = self.wv(value).view(b, s, h, e // h).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(e // h)
        if attn_mask is not None:
            scores = scores + (attn_mask.view(b, h, t, s) if attn_mask.dim() == 3 else attn_mask)
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask.view(b, 1, 1, s), float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        out = self.wo((self.drop(weights) @ v).transpose(1, 2).contiguous().view(b, t, e))
        if need_weights:
            return out, weights.mean(dim=1) if average_attn_weights else weights
        return out, None
