import math
import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def with_sink(self, s):
        col = self.sink.view(1, -1, 1, 1).expand(s.shape[0], -1, s.shape[2], 1)
        return torch.cat([col, s], dim=-1)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (t.view(b, n, self.h, self.d).transpose(1, 2) for t in self.wqkv(x).chunk(3, -1))
        s = q @ k.mT / math.sqrt(self.d)
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), -math.inf)
        w = self.with_sink(s).softmax(-1)[..., :-1]
        return self.wo((w @ v).transpose(1, 2).reshape(b, n, c))
