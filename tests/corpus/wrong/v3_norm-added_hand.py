# wrong: v3 norm-added line 21
import torch
from torch import nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, k, dropout=0.1):
        super().__init__()
        self.k = k
        self.ln = nn.LayerNorm(k)
        self.to_queries = nn.Linear(k, k, bias=False)
        self.to_keys = nn.Linear(k, k, bias=False)
        self.to_values = nn.Linear(k, k, bias=False)
        self.unify = nn.Linear(k, k)
        self.do = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, t, k = x.size()
        assert k == self.k
        x = self.ln(x)
        queries, keys, values = self.to_queries(x), self.to_keys(x), self.to_values(x)
        dot = torch.bmm(queries, keys.transpose(1, 2)) / k ** (1 / 2)
        if mask is not None:
            dot = dot.masked_fill(mask == 0, float('-inf'))
        dot = self.do(F.softmax(dot, dim=2))
        out = torch.bmm(dot, values)
        return self.unify(out)
