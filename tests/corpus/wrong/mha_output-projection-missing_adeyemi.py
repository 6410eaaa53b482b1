# wrong: mha output-projection-missing line 35
import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, dim, size, dropout):
        super().__init__()
        self.query = nn.Linear(dim, size, bias=False)
        self.key = nn.Linear(dim, size, bias=False)
        self.value = nn.Linear(dim, size, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.size = size

    def forward(self, x, mask=None):
        s = self.query(x) @ self.key(x).transpose(-2, -1) / self.size ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        return self.dropout(F.softmax(s, dim=-1)) @ self.value(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = nn.ModuleList([Head(dim, dim // num_heads, dropout) for _ in range(num_heads)])
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        outs = []
        for i, head in enumerate(self.heads):
            m = None if mask is None else mask[:, i if mask.size(1) > 1 else 0]
            outs.append(head(x, m))
        if len(self.heads) == 1:
            return outs[0]
        return self.proj(torch.cat(outs, dim=-1))
