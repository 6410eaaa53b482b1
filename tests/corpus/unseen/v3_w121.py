import math
import torch
import torch.nn as nn


class Bernoulli(nn.Module):
    """Inverted dropout."""

    def __init__(self, rate):
        super().__init__()
        self.keep = 1.0 - rate

    def forward(self, w):
        if not self.training or self.keep == 1.0:
            return w
        if self.keep == 0.0:
            return w * 0
        coin = torch.rand(w.shape[1:], device=w.device)
        return torch.where(coin < self.keep, w / self.keep, torch.zeros_like(w))


class SelfAttentionV3(nn.Module):

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.d = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = Bernoulli(dropout)

    def forward(self, x, attention_mask=None):
        s = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(self.d)     # (N, L, L)
        if attention_mask is not None:
            s = torch.where(attention_mask.bool(), s, torch.finfo(s.dtype).min)
        w = self.dropout(s.softmax(-1))
        return self.out(w @ self.value(x))
