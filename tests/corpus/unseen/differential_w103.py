import math

import torch
import torch.nn.functional as F
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads // 2
        self.w = nn.ParameterDict({n: nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5) for n in "qkvo"})
        self.lq = nn.Parameter(torch.randn(2, self.d) * 0.1)
        self.lk = nn.Parameter(torch.randn(2, self.d) * 0.1)
        self.gain = nn.Parameter(torch.ones(2 * self.d))
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def lam(self):
        one, two = torch.einsum("md,md->md", self.lq, self.lk).exp().sum(-1)
        return one - two + self.init

    def forward(self, x):
        heads = lambda name, *s: torch.einsum("btc,ce->bte", x, self.w[name]).unflatten(-1, (self.h, *s))
        q, k, v = heads("q", 2, self.d), heads("k", 2, self.d), heads("v", 2 * self.d)
        sims = torch.einsum("bthmd,bshmd->mbhts", q, k) / math.sqrt(self.d)
        t = torch.arange(x.size(1), device=x.device)
        m1, m2 = sims.masked_fill(t[None, :] > t[:, None], float("-inf")).softmax(-1)
        out = torch.einsum("bhts,bshe->bthe", torch.sub(m1, self.lam() * m2), v)
        out = F.rms_norm(out, (2 * self.d,), self.gain, 1e-5).mul(1 - self.init)
        return out.flatten(-2) @ self.w["o"]
