# right: mha
import math
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.rate = dropout

    def one(self, q, k, v, m):
        s = q @ k.mT / math.sqrt(self.d)
        s = torch.where(m, s, torch.finfo(s.dtype).min)
        w = F.dropout(s.softmax(-1), self.rate, self.training)
        return w @ v

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, self.d).unbind(2)
        m = x.new_ones(b, self.h, n, n, dtype=torch.bool) if mask is None else (mask != 0).expand(b, self.h, n, n)
        heads = torch.vmap(self.one, in_dims=(1, 1, 1, 0), out_dims=1, randomness="different")
        both = torch.vmap(heads, randomness="different")
        return self.out(both(q, k, v, m).reshape(b, n, c))
