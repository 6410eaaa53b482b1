"""multi-head attention, written as a chain of passes, one function for each stage"""
from math import sqrt

import torch
from torch import nn


def pass_split(t, n):
    b, l, c = t.shape
    return t.reshape(b, l, n, c // n).permute(0, 2, 1, 3)


def pass_score(q, k):
    return torch.einsum("bhid,bhjd->bhij", q, k) / sqrt(q.shape[-1])


def pass_mask(s, mask):
    if mask is None:
        return s
    return torch.where(mask.to(torch.bool), s, torch.full_like(s, -torch.inf))


def pass_softmax(s):
    e = torch.exp(s - s.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def pass_dropout(w, p):
    noise = torch.rand_like(w)
    return w * (noise >= p)


def pass_merge(t):
    b, h, l, d = t.shape
    return t.permute(0, 2, 1, 3).reshape(b, l, h * d)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.n = num_heads
        self.p = dropout
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = (pass_split(f(x), self.n) for f in (self.to_q, self.to_k, self.to_v))
        w = pass_softmax(pass_mask(pass_score(q, k), attention_mask))
        if self.training and self.p > 0:
            w = pass_dropout(w, self.p)
        return self.to_out(pass_merge(w @ v))
