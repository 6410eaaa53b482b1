import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def settled(layer, width):
    """a lazy layer, shown one row of zeros so that it takes its shape here and not in the first batch"""
    with torch.no_grad():
        layer(torch.zeros(1, width))
    return layer


class Pipe:
    """x >> f >> g"""

    def __init__(self, value):
        self.value = value

    def __rshift__(self, f):
        return Pipe(f(self.value))

    def __invert__(self):
        return self.value


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError
        self.n = num_heads
        self.fused = nn.Conv1d(hidden_dim, 3 * hidden_dim, kernel_size=1)
        self.final = settled(nn.LazyLinear(hidden_dim), hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        d = c // self.n

        def hide(s):
            if attention_mask is None:
                return s
            blocked = torch.broadcast_to(attention_mask == 0, (b, self.n, t, t)).reshape(b * self.n, t, t)
            return s.masked_fill(blocked, torch.finfo(s.dtype).min)

        # channels first, so that a head is a stretch of channels: (b * n, d, t)
        q, k, v = (y.reshape(b * self.n, d, t) for y in self.fused(x.transpose(1, 2)).split(c, dim=1))
        scores = torch.baddbmm(q.new_zeros(1, 1, 1).expand(b * self.n, t, t), q.mT, k, beta=0, alpha=1 / math.sqrt(d))
        out = (
            Pipe(scores)
            >> hide
            >> (lambda s: F.softmax(s, -1))
            >> self.drop
            >> (lambda w: torch.bmm(v, w.mT))                     # (b * n, d, t)
            >> (lambda y: y.view(b, c, t).transpose(1, 2))
            >> self.final
        )
        return ~out
