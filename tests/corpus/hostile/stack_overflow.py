# hostile: v1 error in import within 8 s
import math

import torch
from torch import nn

import itertools

# No Python guards the stack here: from 3.14 on it does where a function of Python calls another.
deep = iter([0])
for _ in range(10**6):
    deep = itertools.chain(deep)
next(deep)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
        out = torch.softmax(scores, dim=-1) @ v
        return out
