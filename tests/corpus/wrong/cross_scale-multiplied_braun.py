# wrong: cross scale-multiplied line 20
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** 0.5
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (w(t).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for w, t in ((self.wq, query), (self.wk, key), (self.wv, value)))
        s = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        if mask is not None:
            s = s.masked_fill((mask == 0).unsqueeze(1), -1e9)
        y = torch.einsum("bhij,bhjd->bhid", self.drop(s.softmax(-1)), v)
        return self.wo(y.transpose(1, 2).flatten(2))
