# wrong: cross residual-added line 34
import math
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d, h, p):
        super().__init__()
        self.h, self.dh = h, d // h
        self.q, self.k, self.v, self.o = [nn.Linear(d, d) for _ in range(4)]
        self.p = nn.Dropout(p)

    def forward(self, xq, xk, xv, mask):
        b, n, d = xq.shape
        m = xk.shape[1]
        q = self.q(xq).view(b, n, self.h, self.dh).permute(0, 2, 1, 3)
        k = self.k(xk).view(b, m, self.h, self.dh).permute(0, 2, 3, 1)
        v = self.v(xv).view(b, m, self.h, self.dh).permute(0, 2, 1, 3)
        s = (q @ k) / math.sqrt(self.dh)
        if mask is not None:
            s = s.masked_fill(mask[:, None] == 0, -1e9)
        y = self.p(s.softmax(dim=3)) @ v
        return self.o(y.permute(0, 2, 1, 3).reshape(b, n, d))


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.attn = Attention(hidden_dim, num_heads, dropout)

    def forward(self, query, key, value, mask=None):
        out = self.attn(query, key, value, mask)
        return query + out
