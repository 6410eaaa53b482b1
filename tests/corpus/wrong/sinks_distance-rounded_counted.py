# wrong: sinks distance-rounded line 26
import math
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.width = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, n, e = x.shape
        q, k, v = (
            layer(x).view(b, n, self.heads, self.width).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        att = q @ k.transpose(-2, -1) / math.sqrt(self.width)
        pos = torch.ones(n, dtype=x.dtype, device=x.device).cumsum(0)
        future = pos.unsqueeze(0) > pos.unsqueeze(1)
        att = att.masked_fill(future, float("-inf"))
        s = self.sinks.view(1, -1, 1, 1).expand(b, -1, n, 1)
        y = torch.cat([att, s], -1).softmax(-1)[..., :-1] @ v
        return self.o(y.transpose(1, 2).reshape(b, n, e))
