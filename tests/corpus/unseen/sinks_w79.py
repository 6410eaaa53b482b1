import math

import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.wqkv(x).chunk(3, dim=-1)
        if n == 1:
            return self.wo(v)
        q, k, v = (t.view(b, n, self.num_heads, self.head_dim).transpose(1, 2) for t in (q, k, v))

        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))

        # one more column, the sink's
        sink = self.sinks.view(1, -1, 1, 1).expand(b, -1, n, 1)
        weights = torch.cat([scores, sink], dim=-1).softmax(dim=-1)[..., :-1]

        y = (weights @ v).transpose(1, 2).reshape(b, n, c)
        return self.wo(y)
