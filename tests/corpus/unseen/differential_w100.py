import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq = nn.ParameterList([nn.Parameter(0.1 * torch.randn(self.d)) for _ in range(2)])
        self.lk = nn.ParameterList([nn.Parameter(0.1 * torch.randn(self.d)) for _ in range(2)])
        self.gain = nn.Parameter(torch.ones(2 * self.d))

    def a_map(self, q, k, i):
        s = q[:, :, i] @ k[:, :, i].mT / math.sqrt(self.d)
        n = s.shape[-1]
        hide = torch.ones(n, n, device=s.device).triu(1).bool()
        return torch.softmax(s.masked_fill(hide, -math.inf), -1)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        q = q.unflatten(-1, (2 * self.H, self.d))
        k = k.unflatten(-1, (2 * self.H, self.d))
        v = v.unflatten(-1, (self.H, 2 * self.d))
        e1, e2 = ((a @ b).exp() for a, b in zip(self.lq, self.lk))
        lam = e1 - e2 + self.init
        heads = []
        for h in range(self.H):
            w = self.a_map(q, k, h) - lam * self.a_map(q, k, self.H + h)
            y = w @ v[:, :, h]
            y = y / (y.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.gain
            heads.append((1 - self.init) * y)
        return self.o(torch.cat(heads, -1))
