import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def attention(q, k, v, mask=None, p=0.0):
    s = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill((mask == 0)[:, None], torch.finfo(s.dtype).min)
    w = F.dropout(F.softmax(s, dim=-1), p)
    return torch.einsum("bhij,bjhd->bihd", w, v)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.p = num_heads, dropout
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, query, key, value, mask=None):
        heads = lambda t: t.unflatten(-1, (self.h, -1))
        y = attention(heads(self.wq(query)), heads(self.wk(key)), heads(self.wv(value)), mask, self.p)
        return self.wo(y.flatten(-2))
