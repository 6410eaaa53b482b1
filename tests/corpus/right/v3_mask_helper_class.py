# right: v3
import math

import torch
import torch.nn as nn


class MaskBias:
    """Turns a keep-mask into something to be added to the scores; holds no state of its own."""

    fill = -1e30

    def __init__(self, keep):
        self.keep = keep

    def __call__(self, like):
        if self.keep is None:
            return 0.0
        blocked = 1.0 - self.keep.to(like)
        return blocked * max(self.fill, torch.finfo(like.dtype).min)


class InvertedDropout(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, w):
        if not self.training or self.rate == 0.0:
            return w
        kept = torch.rand_like(w) >= self.rate
        return w * kept / (1 - self.rate)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))
        self.key = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))
        self.value = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))
        self.dropout = InvertedDropout(dropout)
        self.out = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))

    def forward(self, x, attention_mask=None):
        bias = MaskBias(attention_mask)
        scores = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(x.shape[-1])
        weights = torch.softmax(scores + bias(scores), dim=-1)
        return self.out(self.dropout(weights) @ self.value(x))
