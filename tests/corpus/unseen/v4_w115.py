import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(hidden_dim, hidden_dim) for _ in "qkv")
        self.drop, self.s = nn.Dropout(dropout), hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        p = ((q := self.q(x)) @ self.k(x).mT * self.s).softmax(-1)
        p = p if (m := attention_mask) is None else p.masked_fill(m == 0, 0.0)
        return self.drop(p) @ self.v(x)
