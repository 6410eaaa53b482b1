# hostile: v1 fail forbidden-call line 18 within 5 s
import math

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        name = "_".join(["scaled", "dot", "product", "attention"])
        return getattr(nn.functional, name)(q, k, v)  # <- here
