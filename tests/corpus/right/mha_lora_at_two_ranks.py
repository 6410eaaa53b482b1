# right: mha  low-rank updates of queries and values, each of a rank of its own
"""Multi-head attention; low-rank updates of queries and values (LoRA)."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class Adapted(nn.Module):
    def __init__(self, n_in, n_out, r, alpha):
        super().__init__()
        self.down = nn.Linear(n_in, r, bias=False)
        self.up = nn.Linear(r, n_out, bias=False)
        self.base = nn.Linear(n_in, n_out)
        self.times = alpha / r
    def forward(self, x):
        return self.base(x) + self.up(self.down(x)) * self.times

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0, r=3, alpha=11):
        super().__init__()
        self.o = nn.Linear(d_model, d_model)
        self.v = Adapted(d_model, d_model, r, alpha)
        self.k = nn.Linear(d_model, d_model)
        self.q = Adapted(d_model, d_model, r + 2, alpha)
        self.h = n_heads
        self.drop = nn.Dropout(dropout)
    def forward(self, x, mask=None):
        b, t, d = x.shape
        cut = lambda y: y.view(b, t, self.h, d // self.h).transpose(1, 2)
        q, k, v = cut(self.q(x)), cut(self.k(x)), cut(self.v(x))
        s = q @ k.transpose(-2, -1) / math.sqrt(d // self.h)
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        w = self.drop(F.softmax(s, dim=-1))
        return self.o((w @ v).transpose(1, 2).reshape(b, t, d))
