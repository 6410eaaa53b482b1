# wrong: mha dropout-rate-wrong line 33
import copy
import math

import torch
import torch.nn as nn


def clones(module, N):
    "N independent copies of a layer"
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    s = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        s = s.masked_fill(mask == 0, -1e9)
    p_attn = s.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadedAttention(nn.Module):
    def __init__(self, n_heads, n_embd, dropout=0.1):
        super(MultiHeadedAttention, self).__init__()
        assert n_embd % n_heads == 0
        self.d_k = n_embd // n_heads
        self.h = n_heads
        self.linears = clones(nn.Linear(n_embd, n_embd), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=1)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)  # the same mask for all h heads
        nbatches = query.size(0)
        query, key, value = [
            lin(x).reshape(nbatches, -1, self.h, self.d_k).swapaxes(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).reshape(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)
