# シンク付き注意。シンクを「値がゼロの先頭の鍵」として扱う。
import torch
from torch import nn


class Head(nn.Module):
    """一つのヘッド。シンクは 1 個の数。"""

    def __init__(self, width, dim):
        super().__init__()
        self.q = nn.Linear(width, dim, bias=False)
        self.k = nn.Linear(width, dim, bias=False)
        self.v = nn.Linear(width, dim, bias=False)
        self.sink = nn.Parameter(torch.randn(()))
        self.dim = dim

    def forward(self, x):
        b, t, _ = x.shape
        s = self.q(x) @ self.k(x).mT / self.dim ** 0.5
        future = torch.arange(t, device=x.device) > torch.arange(t, device=x.device).unsqueeze(1)
        s = s.masked_fill(future, float("-inf"))
        # 先頭の列がシンク
        row = torch.cat([self.sink.expand(b, t, 1), s], dim=-1)
        w = torch.exp(row - row.logsumexp(-1, keepdim=True))
        v = self.v(x)
        v = torch.cat([torch.zeros_like(v[:, :1]), v], dim=1)
        return w @ v


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = nn.ModuleList(
            Head(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads)
        )
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        return self.out(torch.cat([h(x) for h in self.heads], dim=-1))
