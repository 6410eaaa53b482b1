# wrong: cross query-not-projected line 22
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, dim, num_heads, dropout=0.1):
        super().__init__()
        self.n = num_heads
        self.lq = nn.Linear(dim, dim)
        self.lk = nn.Linear(dim, dim)
        self.lv = nn.Linear(dim, dim)
        self.lo = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def _heads(self, t):
        return t.unflatten(-1, (self.n, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        k = self._heads(self.lk(key))
        v = self._heads(self.lv(value))
        q = self._heads(query)
        s = q @ k.mT / k.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        return self.lo((self.drop(s.softmax(-1)) @ v).transpose(1, 2).flatten(2))
