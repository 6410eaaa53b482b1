# wrong: v3 mask-fill-zero line 12, output-projection-missing line 28
import copy
import math
import torch
import torch.nn as nn


def attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 0)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value)


class SelfAttentionV3(nn.Module):
    def __init__(self, d_model, dropout=0.1):
        super().__init__()
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(3)])
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        query, key, value = [l(x) for l in self.linears[:3]]
        x = attention(query, key, value, mask=attention_mask, dropout=self.dropout)
        return x
