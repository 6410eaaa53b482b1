import math

import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(self.head_dim)
        sink = self.sinks.view(1, -1, 1, 1).expand(b, -1, n, 1)
        # the sink stands in front, as a key before the first one
        row = torch.cat([sink, scores], dim=-1)
        hidden = torch.ones(n, n + 1, dtype=torch.bool, device=x.device).triu(1)
        weights = row.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        context = weights[..., 1:] @ v
        return self.out(context.transpose(1, 2).reshape(b, n, c))
