# wrong: differential lambda-exp-before-sum line 25
import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.H = num_heads
        self.hd = hidden_dim // (2 * num_heads)
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lam_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.lq1 = nn.Parameter(torch.randn(self.hd) * 0.1)
        self.lk1 = nn.Parameter(torch.randn(self.hd) * 0.1)
        self.lq2 = nn.Parameter(torch.randn(self.hd) * 0.1)
        self.lk2 = nn.Parameter(torch.randn(self.hd) * 0.1)
        self.norm_weight = nn.Parameter(torch.ones(2 * self.hd))

    @staticmethod
    def _term(lq, lk):
        return torch.exp(lq * lk).sum()

    def forward(self, x):
        B, T, C = x.shape
        q = self.Wq(x).view(B, T, self.H, 2, self.hd).permute(0, 2, 3, 1, 4)
        k = self.Wk(x).view(B, T, self.H, 2, self.hd).permute(0, 2, 3, 1, 4)
        v = self.Wv(x).view(B, T, self.H, 2 * self.hd).transpose(1, 2)
        s = q @ k.transpose(-1, -2) / math.sqrt(self.hd)                 # B H 2 T T
        s = s.masked_fill(torch.ones(T, T, device=x.device).tril() == 0, float("-inf"))
        a1, a2 = s.softmax(-1).unbind(2)
        lam = self._term(self.lq1, self.lk1) - self._term(self.lq2, self.lk2) + self.lam_init
        o = (a1 - lam * a2) @ v
        o = o * torch.rsqrt(o.pow(2).mean(-1, keepdim=True) + 1e-5) * self.norm_weight
        o = o * (1 - self.lam_init)
        return self.Wo(o.transpose(1, 2).reshape(B, T, C))
