# wrong: v2 values-from-keys line 26
import math

import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        width = self.hidden_dim
        packed = self.in_proj(x)

        def take(offset):
            return packed.narrow(-1, offset, width)

        start = 0
        query = take(start)
        start += width
        key = take(start)
        value = take(start)

        scores = torch.matmul(query, key.transpose(-1, -2))
        scores /= math.sqrt(width)
        return self.out_proj(torch.matmul(scores.softmax(dim=-1), value))
