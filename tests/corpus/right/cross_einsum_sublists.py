# right: cross
"""einsum without letters: the axes are an enum, given as lists."""
from enum import IntEnum

import torch
from torch import nn


class Ax(IntEnum):
    BATCH, HEAD, QUERY, KEY, CHANNEL = range(5)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.shape = (num_heads, hidden_dim // num_heads)
        self.lq = nn.Linear(hidden_dim, hidden_dim)
        self.lk = nn.Linear(hidden_dim, hidden_dim)
        self.lv = nn.Linear(hidden_dim, hidden_dim)
        self.lo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.lq(query).unflatten(-1, self.shape)
        k = self.lk(key).unflatten(-1, self.shape)
        v = self.lv(value).unflatten(-1, self.shape)
        rows = [Ax.BATCH, Ax.QUERY, Ax.HEAD, Ax.CHANNEL]
        columns = [Ax.BATCH, Ax.KEY, Ax.HEAD, Ax.CHANNEL]
        square = [Ax.BATCH, Ax.HEAD, Ax.QUERY, Ax.KEY]
        scores = torch.einsum(q, rows, k, columns, square) / self.shape[1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask[:, None] == 0, -torch.inf)
        weights = self.dropout(scores.softmax(Ax.KEY))
        return self.lo(torch.einsum(weights, square, v, columns, rows).flatten(2))
