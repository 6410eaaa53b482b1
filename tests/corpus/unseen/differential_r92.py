import math
from collections import namedtuple

import torch
from torch import nn

Diff = namedtuple("Diff", "D H layer", defaults=(64, 4, 0))


class DifferentialAttention(nn.Module):
    def __init__(self, c: Diff = Diff()):
        super().__init__()
        self.c = c
        d = c.D // (2 * c.H)
        # (head, first or second map, in, d)
        self.wq = nn.Parameter(torch.randn(c.H, 2, c.D, d) * c.D**-0.5)
        self.wk = nn.Parameter(torch.randn(c.H, 2, c.D, d) * c.D**-0.5)
        self.wv = nn.Parameter(torch.randn(c.H, c.D, 2 * d) * c.D**-0.5)
        self.wo = nn.Linear(c.D, c.D, bias=False)
        self.lam = nn.ParameterDict({n: 0.1 * torch.randn(d) for n in ("q1", "k1", "q2", "k2")})
        self.gain = nn.Parameter(torch.ones(2 * d))

    @property
    def start(self):
        return 0.8 - 0.6 * math.exp(-0.3 * self.c.layer)

    def factor(self):
        one, two = (torch.dot(self.lam["q" + i], self.lam["k" + i]).exp() for i in "12")
        return one - two + self.start

    def forward(self, x):
        T = x.size(1)
        see = torch.ones(T, T, dtype=torch.bool, device=x.device).tril_()
        lam, heads = self.factor(), []
        for wq, wk, wv in zip(self.wq, self.wk, self.wv):
            q, k = x.unsqueeze(1) @ wq, x.unsqueeze(1) @ wk  # batch, 2, T, d
            s = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
            a1, a2 = s.masked_fill(~see, -math.inf).softmax(-1).unbind(1)
            y = (a1 - lam * a2) @ (x @ wv)
            y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5) * self.gain
            heads.append(y * (1 - self.start))
        return self.wo(torch.cat(heads, -1))
