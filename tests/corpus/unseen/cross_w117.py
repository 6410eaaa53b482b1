import torch
import torch.nn as nn


def broadcast_mask(mask, ndim):
    """Add axes until the mask has as many as the scores."""
    while mask.dim() < ndim:
        mask = mask.unsqueeze(0)
    return mask != 0


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def split(self, t):
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.wq(query)), self.split(self.wk(key)), self.split(self.wv(value))
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~broadcast_mask(mask, s.dim()), torch.finfo(s.dtype).min)
        p = self.drop(s.softmax(-1))
        o = torch.einsum("bhqk,bhkd->bqhd", p, v).flatten(2)
        return self.wo(o)
