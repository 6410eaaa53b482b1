# attn-kata: differential
import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    # one softmax over all 2H maps at once, then a signed sum over the pair axis
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads // 2
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.lq = nn.Parameter(torch.randn(2, self.d) * 0.1)
        self.lk = nn.Parameter(torch.randn(2, self.d) * 0.1)
        self.subln = nn.RMSNorm(2 * self.d, eps=1e-5)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def lam(self):
        e = (self.lq * self.lk).sum(-1).exp()
        return e[0] - e[1] + self.lambda_init

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(b, n, self.h, 2, self.d)
        k = k.view(b, n, self.h, 2, self.d)
        v = v.view(b, n, self.h, 2 * self.d)
        s = torch.einsum("bihpd,bjhpd->bhpij", q, k) / math.sqrt(self.d)
        s = s + torch.full((n, n), -math.inf, dtype=s.dtype, device=s.device).triu(1)
        a = s.softmax(-1)
        one = torch.ones((), dtype=x.dtype, device=x.device)
        sign = torch.stack((one, -self.lam().to(x.dtype)))
        o = torch.einsum("bhpij,p,bjhe->bihe", a, sign, v)
        o = self.subln(o) * (1 - self.lambda_init)
        return self.o(o.reshape(b, n, c))
