import math

import torch
from torch import nn


class MyLayerNorm(nn.Module):
    """自己实现的层归一化：在最后一维上减均值、除标准差。"""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        # unbiased=False：方差除以宽度 n，而不是 n-1
        std = x.var(dim=-1, keepdim=True, unbiased=False).sqrt()
        return self.gamma * (x - mean) / (std + self.eps) + self.beta


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.norm1 = MyLayerNorm(hidden_dim)
        self.norm2 = MyLayerNorm(hidden_dim)
        # 注意力部分
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        # 前馈网络部分：先升到 4 倍，再降回来
        self.fc1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(4 * hidden_dim, hidden_dim)

    def attention(self, h):
        b, l, d = h.shape
        # 拆成多个头：(b, heads, l, head_dim)
        q, k, v = [
            f(h).view(b, l, self.num_heads, self.head_dim).transpose(1, 2)
            for f in (self.q, self.k, self.v)
        ]
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        # 因果掩码：上三角（不含对角线）是未来的位置，不能看
        future = torch.triu(torch.ones(l, l, device=h.device), diagonal=1).bool()
        scores = scores.masked_fill(future, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return self.o((weights @ v).transpose(1, 2).reshape(b, l, d))

    def forward(self, x):
        # 前置归一化：残差支路上不做归一化
        x = x + self.attention(self.norm1(x))
        x = x + self.fc2(self.act(self.fc1(self.norm2(x))))
        return x
