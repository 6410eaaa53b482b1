# wrong: cross query-not-projected line 26, dropout-in-eval line 30
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def heads(t, h):
    b, n, d = t.shape
    return t.reshape(b, n, h, d // h).transpose(1, 2).reshape(b * h, n, d // h)


def unheads(t, h):
    bh, n, d = t.shape
    return t.reshape(bh // h, h, n, d).transpose(1, 2).reshape(bh // h, n, h * d)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.p = dropout
        self.fq, self.fk, self.fv, self.fo = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = heads(query, self.h), heads(self.fk(key), self.h), heads(self.fv(value), self.h)
        s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(mask.repeat_interleave(self.h, 0) == 0, -1e9)
        a = F.dropout(F.softmax(s, dim=-1), self.p, True)
        return self.fo(unheads(torch.bmm(a, v), self.h))
