# right: attention-module
import math

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, embed_dim, head_dim, bias):
        super().__init__()
        self.q = nn.Linear(embed_dim, head_dim, bias=bias)
        self.k = nn.Linear(embed_dim, head_dim, bias=bias)
        self.v = nn.Linear(embed_dim, head_dim, bias=bias)
        self.scale = 1 / math.sqrt(head_dim)

    def forward(self, query, key, value, hidden, bias, drop):
        scores = torch.matmul(self.q(query), self.k(key).transpose(1, 2)) * self.scale
        if bias is not None:
            scores = scores + bias
        if hidden is not None:
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=2)
        return torch.matmul(drop(weights), self.v(value)), weights


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        head_dim = embed_dim // num_heads
        self.heads = nn.ModuleList([Head(embed_dim, head_dim, bias) for _ in range(num_heads)])
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        contexts, maps = [], []
        for h, head in enumerate(self.heads):
            mask = attn_mask
            if mask is not None and mask.dim() == 3:
                mask = mask[h :: len(self.heads)]  # every sample's map of this head
            bias, hidden = None, None
            if mask is not None and mask.is_floating_point():
                bias = mask
            elif mask is not None:
                hidden = mask.expand(len(query), -1, -1) if mask.dim() == 2 else mask
            if key_padding_mask is not None:
                padding = key_padding_mask.unsqueeze(1)
                hidden = padding if hidden is None else hidden | padding
            context, weights = head(query, key, value, hidden, bias, self.drop)
            contexts.append(context)
            maps.append(weights)
        output = self.out(torch.cat(contexts, dim=-1))
        if not need_weights:
            return output, None
        stacked = torch.stack(maps, dim=1)
        return output, stacked.mean(1) if average_attn_weights else stacked
