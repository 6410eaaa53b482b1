# wrong: mqa mask-fold-differs line 27
import math
import torch
from torch import nn
import torch.nn.functional as F


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim // num_heads)
        self.v = nn.Linear(hidden_dim, hidden_dim // num_heads)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def fold(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.h, self.d).transpose(1, 2).reshape(b * self.h, n, self.d)

    def forward(self, x, attention_mask=None):
        b, n, c = x.shape
        q = self.fold(self.q(x))
        k, v = (f(x).repeat_interleave(self.h, dim=0) for f in (self.k, self.v))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d)
        if attention_mask is not None:
            mask = attention_mask.repeat(self.h, 1, 1, 1).squeeze(1)
            scores = scores.masked_fill(~mask.bool(), -torch.inf)
        out = torch.bmm(scores.softmax(-1), v)
        return self.o(out.view(b, self.h, n, self.d).transpose(1, 2).reshape(b, n, c))
