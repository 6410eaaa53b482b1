import torch
from torch import nn


class Projections(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)

    def forward(self, query, key, value):
        return self.q(query), self.k(key), self.v(value)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.proj = Projections(hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.proj(query, key, value)
        # (b, t, h * d) -> (b, h, t, d)
        q, k, v = [t.unflatten(2, (self.heads, -1)).movedim(2, 1) for t in (q, k, v)]
        dots = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            keep = mask.bool()
            dots = dots.masked_fill(~keep, float("-inf"))
        attn = self.dropout(dots.softmax(dim=-1))
        out = torch.einsum("bhij,bhjd->bihd", attn, v)
        return self.out(out.flatten(2))
