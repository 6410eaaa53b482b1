# wrong: cross scale-by-hidden-dim line 13, key-viewed-by-query-length line 24 (error)
# fair: key-viewed-by-query-length 22 24 25
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    """Kreuzaufmerksamkeit: Ziel fragt Quelle."""

    def __init__(self, dim, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.scale = 1 / dim ** 0.5
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.to_out = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        shape = (b, n, self.heads, d // self.heads)
        q = self.to_q(query).view(shape).transpose(1, 2)
        k = self.to_k(key).view(shape).transpose(1, 2)
        v = self.to_v(value).view(shape).transpose(1, 2)
        sim = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        if mask is not None:
            sim = sim.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        attn = self.drop(sim.softmax(dim=-1))
        return self.to_out(torch.matmul(attn, v).transpose(1, 2).reshape(b, n, d))
