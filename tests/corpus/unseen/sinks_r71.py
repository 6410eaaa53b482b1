import math

import torch
from torch import nn


class SinkAttention(nn.Module):
    """The sink by a gate behind an ordinary softmax: sigmoid(lse - sink)."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.sink = nn.Parameter(torch.zeros(num_heads, 1, 1))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.n, -1)).permute(2, 0, 3, 1, 4).unbind(0)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
        t = x.shape[1]
        s = s.masked_fill(torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        lse = s.logsumexp(-1, keepdim=True)
        y = (s - lse).exp() @ v
        return self.out((y * torch.sigmoid(lse - self.sink)).transpose(1, 2).flatten(2))
