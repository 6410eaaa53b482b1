# wrong: mha dropout-undone line 32
# fair: dropout-undone 31, 32
import math
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.p = dropout
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q, k, v = (f(x).view(b, t, self.h, self.d).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT / math.sqrt(self.d)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        e = (s - s.amax(-1, keepdim=True)).exp()
        w = e / e.sum(-1, keepdim=True)
        if self.training and self.p > 0:
            keep = F.dropout(torch.ones_like(w), self.p) > 0
            w = w * keep
            w = w / w.sum(-1, keepdim=True)
        c = w @ v
        return self.o(c.transpose(1, 2).reshape(b, t, -1))
