import torch
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.q(x), self.k(x), self.v(x)
        hidden = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        done = []
        for h in range(self.nh):
            lo, hi = h * self.hd, (h + 1) * self.hd
            s = q[..., lo:hi] @ k[..., lo:hi].transpose(1, 2) / self.hd**0.5
            s = s.masked_fill(hidden, float("-inf"))
            extra = self.sink[h].expand(b, n, 1)
            p = torch.cat([s, extra.to(s.dtype)], dim=-1).softmax(dim=-1)
            done.append(p[..., 1:] @ v[..., lo:hi])
        return self.o(torch.cat(done, dim=-1))
