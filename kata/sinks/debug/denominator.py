import torch
from torch import nn


class SinkAttention(nn.Module):
    """Attention with a learned sink in each head."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)
        self.sink = nn.Parameter(torch.zeros(heads, 1, 1))

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (
            t.view(b, n, self.heads, d // self.heads).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1)
        )
        s = q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        s = s.masked_fill(future, float("-inf"))
        m = torch.maximum(s.amax(-1, keepdim=True), self.sink)
        e = torch.exp(s - m)
        z = e.sum(-1, keepdim=True) + torch.exp(self.sink - m)
        y = (e / z) @ v
        return self.out(y.transpose(1, 2).reshape(b, n, d))
