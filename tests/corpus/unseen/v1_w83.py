import math
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    """One head. Big batches are worked off a few samples at a time to bound the score memory."""

    SAMPLES_AT_ONCE = 8

    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.scale = 1.0 / math.sqrt(hidden_dim)

    def _attend(self, q, k, v):
        scores = torch.bmm(q, k.transpose(1, 2)) * self.scale   # (n, L, L)
        return torch.bmm(scores.softmax(dim=-1), v)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        n = self.SAMPLES_AT_ONCE
        if x.size(0) <= n:
            return self._attend(q, k, v)
        context = torch.zeros_like(v)
        for part in range(x.size(0) // n):
            s = slice(part * n, (part + 1) * n)
            context[s] = self._attend(q[s], k[s], v[s])
        return context
