import math
import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    """差分注意力: 两张注意力图相减"""

    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.lq1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lk1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lq2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lk2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.head_norm = nn.RMSNorm(2 * self.head_dim, eps=1e-5)

    def forward(self, x):
        b, s, _ = x.shape
        q = self.query(x).view(b, s, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        k = self.key(x).view(b, s, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        v = self.value(x).view(b, s, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        # 因果掩码
        future = torch.triu(torch.ones(s, s, dtype=torch.bool, device=x.device), diagonal=1)
        score = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        prob = score.masked_fill(future, float('-inf')).softmax(dim=-1)
        # 每个头的两张图: 2h 和 2h+1
        prob = prob.view(b, self.num_heads, 2, s, s)
        lam = torch.exp(self.lq1 @ self.lk1) - torch.exp(self.lq2 @ self.lk2) + self.lambda_init
        context = (prob[:, :, 0] - lam * prob[:, :, 1]) @ v
        # 按头归一化
        context = (1 - self.lambda_init) * context
        context = self.head_norm(context)
        return self.output(context.transpose(1, 2).reshape(b, s, -1))
