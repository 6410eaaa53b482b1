# wrong: qk-norm qk-norm-one-side line 22
import torch
from torch import nn, einsum


class QKNormAttention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.d = h, d // h
        self.wq = nn.Linear(d, d, bias=False)
        self.wk = nn.Linear(d, d, bias=False)
        self.wv = nn.Linear(d, d, bias=False)
        self.wo = nn.Linear(d, d, bias=False)
        self.gq = nn.Parameter(torch.ones(self.d))
        self.gk = nn.Parameter(torch.ones(self.d))

    def forward(self, x):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.h, self.d)
        k = self.wk(x).view(b, t, self.h, self.d)
        q = q / (q.square().mean(-1, keepdim=True) + 1e-6).sqrt() * self.gq
        k = k * self.gk
        v = self.wv(x).view(b, t, self.h, self.d)
        s = einsum("bthd,bshd->bhts", q, k) / self.d ** .5
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        a = s.masked_fill(future, -torch.inf).softmax(-1)
        return self.wo(einsum("bhts,bshd->bthd", a, v).flatten(2))
