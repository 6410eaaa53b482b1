# wrong: mha
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """One dropout mask for all heads."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.p = num_heads, dropout
        self.q, self.k = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.v, self.o = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q, k, v = (
            f(x).view(b, t, self.h, -1).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        scores = q @ k.mT / math.sqrt(c // self.h)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if self.training and self.p > 0:
            keep = torch.rand(b, 1, t, t, device=x.device) > self.p
            weights = weights * keep / (1 - self.p)
        return self.o((weights @ v).transpose(1, 2).reshape(b, t, c))
