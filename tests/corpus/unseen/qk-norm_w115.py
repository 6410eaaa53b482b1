# 作业: 带 QK 归一化的因果注意力
import math

import torch
import torch.nn as nn


class RMS(nn.Module):
    # 均方根归一化，不减均值
    def __init__(self, d):
        super().__init__()
        self.g = nn.Parameter(torch.ones(d))

    def forward(self, u):
        ms = torch.mean(u * u, dim=-1, keepdim=True)
        return u / torch.sqrt(ms + 1e-6) * self.g


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.d = hidden_dim // num_heads
        # 三个投影 q, k, v
        self.proj = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim) for _ in range(3)])
        # q 和 k 各一个归一化，v 不用
        self.norms = nn.ModuleList([RMS(self.d)] * 2 + [nn.Identity()])
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, c = x.size()
        qkv = []
        for p, norm in zip(self.proj, self.norms):
            h = p(x).view(b, t, self.n, self.d).transpose(1, 2)  # 先分头
            qkv.append(norm(h))                                  # 再归一化
        q, k, v = qkv
        s = q.matmul(k.transpose(2, 3)) / math.sqrt(self.d)
        # 不能看未来
        s = s + torch.full((t, t), -math.inf, device=x.device, dtype=x.dtype).triu(diagonal=1)
        a = torch.softmax(s, dim=3)
        o = a.matmul(v).transpose(1, 2).reshape(b, t, c)
        return self.out(o)
