import math

import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        assert 0.0 <= dropout <= 1.0
        self.hidden_dim = hidden_dim
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, n, d = x.shape
        assert d == self.hidden_dim, f"expected width {self.hidden_dim}, got {d}"

        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        assert q.shape == k.shape == v.shape == (b, n, d)

        att = q @ k.transpose(1, 2)
        att = att / math.sqrt(d)
        assert att.shape == (b, n, n)

        if attention_mask is not None:
            assert attention_mask.shape == (b, n, n)
            forbidden = attention_mask == 0
            att = att.masked_fill(forbidden, torch.finfo(att.dtype).min)

        att = att.softmax(dim=-1)
        att = self.drop(att)
        out = att @ v
        assert out.shape == x.shape
        return out
