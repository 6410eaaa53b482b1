# right: mha
"""Theta, phi, g as in non-local networks: the letter k is where the heads are merged."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.0):
        super().__init__()
        self.heads = num_heads
        self.t = nn.Linear(hidden_dim, hidden_dim)
        self.p = nn.Linear(hidden_dim, hidden_dim)
        self.g = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def cut(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, mask=None):
        t, p, g = self.cut(self.t(x)), self.cut(self.p(x)), self.cut(self.g(x))
        f = t @ p.mT / t.shape[-1] ** 0.5
        if mask is not None:
            f = f.masked_fill(mask == 0, torch.finfo(f.dtype).min)
        y = self.drop(f.softmax(dim=-1)) @ g
        return self.k(y.transpose(1, 2).flatten(2))
