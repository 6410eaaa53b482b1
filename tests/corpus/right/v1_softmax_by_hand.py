# right: v1
from math import sqrt

import torch
import torch.nn as nn


def stable_softmax(z, axis=-1):
    z = z - z.amax(axis, keepdim=True)
    e = z.exp()
    return e / e.sum(axis, keepdim=True)


class SelfAttentionV1(nn.Module):
    # interview, 20 minutes, no F.softmax allowed
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.scale = sqrt(hidden_dim)

    def forward(self, x):
        q = self.q(x) / self.scale
        return stable_softmax(q.matmul(self.k(x).permute(0, 2, 1))).matmul(self.v(x))
