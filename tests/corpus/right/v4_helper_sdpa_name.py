# right: v4 remarks: returns-tuple, fill-overflows-half
import copy
import math

import torch
import torch.nn as nn


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    """our own, not torch's"""
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.linears = clones(nn.Linear(hidden_dim, hidden_dim), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = [lin(x) for lin in self.linears[:3]]
        x, self.attn = scaled_dot_product_attention(q, k, v, attention_mask, self.dropout)
        return self.linears[-1](x), self.attn
