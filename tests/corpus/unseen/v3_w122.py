import copy
import math
import torch
import torch.nn as nn


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def attention(query, key, value, mask=None, dropout=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask != 0, torch.finfo(scores.dtype).min)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super(SelfAttentionV3, self).__init__()
        self.linears = clones(nn.Linear(hidden_dim, hidden_dim), 4)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        query, key, value = [lin(x) for lin in self.linears[:3]]
        x, _ = attention(query, key, value, mask=attention_mask, dropout=self.dropout)
        return self.linears[-1](x)
