import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """gpt-oss style: append the sink as a last column, drop it after the softmax."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q, k, v = (t.view(b, n, self.num_heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        qk = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        qk = qk.masked_fill(torch.ones(n, n, device=x.device, dtype=torch.bool).triu(1), float("-inf"))
        sink = self.sinks.reshape(1, -1, 1, 1).expand(b, -1, n, 1)
        w = torch.cat([qk, sink], dim=-1).softmax(dim=-1)[..., :-1]
        return self.out((w @ v).transpose(1, 2).reshape(b, n, c))
