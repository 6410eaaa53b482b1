import math

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        # x: (batch, length, hidden_dim)
        if x.shape[1] == 1:
            # a softmax over one key is 1: nothing to mix
            return x
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        weights = torch.softmax(scores, dim=-1)  # rows add up to 1
        return torch.bmm(weights, v)
