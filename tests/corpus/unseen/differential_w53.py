import math
import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads // 2
        self.lam0 = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.lq = nn.Parameter(torch.randn(2, self.hd) * 0.1)
        self.lk = nn.Parameter(torch.randn(2, self.hd) * 0.1)
        self.w = nn.Parameter(torch.ones(2 * self.hd))
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        B, T, C = x.shape
        # (B, heads, 2, T, hd)
        q = self.wq(x).reshape(B, T, self.nh, 2, self.hd).permute(0, 2, 3, 1, 4)
        k = self.wk(x).reshape(B, T, self.nh, 2, self.hd).permute(0, 2, 3, 1, 4)
        v = self.wv(x).reshape(B, T, self.nh, 2 * self.hd).permute(0, 2, 1, 3)
        s = torch.matmul(q, k.transpose(-1, -2)) * self.hd ** -0.5
        idx = torch.arange(T, device=x.device)
        s = torch.where(idx[:, None] >= idx, s, torch.finfo(s.dtype).min)
        a = torch.softmax(s, -1)

        l1, l2 = torch.exp(self.lq * self.lk).sum(-1)
        lam = l1 - l2 + self.lam0
        o = torch.matmul(a[:, :, 0] - lam * a[:, :, 1], v)
        o = o * torch.rsqrt(o.pow(2).mean(-1, keepdim=True) + 1e-5) * self.w
        o = o * (1 - self.lam0)
        return self.wo(o.permute(0, 2, 1, 3).reshape(B, T, C))
