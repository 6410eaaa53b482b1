import torch
from torch import nn


class SinkHead(nn.Module):
    def __init__(self, width, head_dim):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * head_dim, bias=False)
        self.sink = nn.Parameter(torch.randn(()) * 0.02)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        n = x.size(1)
        s = q @ k.mT / q.size(-1) ** 0.5
        s = s + torch.full_like(s[0], float("-inf")).triu(1)
        # the sink is a key with a score of its own, and a value of 0
        s = nn.functional.pad(s, (1, 0)) + nn.functional.pad(self.sink.view(1, 1, 1), (0, n))
        v = nn.functional.pad(v, (0, 0, 1, 0))
        return torch.softmax(s, -1) @ v


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = nn.ModuleList(SinkHead(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        return self.proj(torch.cat([head(x) for head in self.heads], dim=-1))
