import math, torch
from torch import nn


class _Head(nn.Module):
    """one head = two maps; owns its slices of wq, wk, wv and wo"""

    def __init__(self, c, d):
        super().__init__()
        self.qk = nn.Linear(c, 4 * d)  # q1 q2 k1 k2
        self.v = nn.Linear(c, 2 * d)
        self.o = nn.Linear(2 * d, c, bias=False)

    def forward(self, x, lam, norm):
        n = x.size(1)
        q1, q2, k1, k2 = self.qk(x).chunk(4, dim=-1)
        v = self.v(x)
        weights = self._map(q1, k1, n) - lam * self._map(q2, k2, n)
        return self.o(norm(weights @ v))

    @staticmethod
    def _map(q, k, n):
        s = q @ k.mT / math.sqrt(q.size(-1))
        seen = torch.ones(n, n, device=s.device).tril() > 0
        s = s.where(seen, s.new_tensor(-math.inf))
        e = (s - s.amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        d = hidden_dim // num_heads // 2
        self.heads = nn.ModuleList(_Head(hidden_dim, d) for _ in range(num_heads))
        self.lq1, self.lk1, self.lq2, self.lk2 = (nn.Parameter(0.1 * torch.randn(d)) for _ in range(4))
        self.gain = nn.Parameter(torch.ones(2 * d))
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def norm(self, u):
        f = u.to(torch.promote_types(u.dtype, torch.float32))
        rms = (f.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        return (f / rms).to(u.dtype) * self.gain * (1 - self.init)

    def forward(self, x):
        lam = torch.exp(self.lq1 @ self.lk1) - torch.exp(self.lq2 @ self.lk2) + self.init
        return sum(head(x, lam, self.norm) for head in self.heads)
