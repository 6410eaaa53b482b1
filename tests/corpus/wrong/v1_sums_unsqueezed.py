# wrong: v1 sums-of-other-queries line 25
# 自注意力,手写 softmax,不用 F.softmax
import math

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        # 打分: (B, L, L)
        s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        # 减去每行最大值,防止溢出
        s = s - s.max(dim=-1, keepdim=True).values
        e = s.exp()
        z = e.sum(dim=-1)              # 每个 query 的归一化常数 (B, L)
        p = e / z.unsqueeze(1)
        return torch.bmm(p, v)
