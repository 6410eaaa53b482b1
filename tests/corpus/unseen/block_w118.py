import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    """层归一化，自己实现"""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True)
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.norm1 = LayerNorm(hidden_dim)
        self.norm2 = LayerNorm(hidden_dim)
        # 注意力的四个线性层
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        # 前馈网络
        self.fc1 = nn.Linear(hidden_dim, hidden_dim * 4)
        self.fc2 = nn.Linear(hidden_dim * 4, hidden_dim)

    def attention(self, x):
        b, n, d = x.shape
        dk = d // self.h
        q = self.wq(x).view(b, n, self.h, dk).transpose(1, 2)
        k = self.wk(x).view(b, n, self.h, dk).transpose(1, 2)
        v = self.wv(x).view(b, n, self.h, dk).transpose(1, 2)
        score = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(dk)
        # 下三角掩码：只能看到自己和前面的位置
        mask = torch.tril(torch.ones(n, n, device=x.device)).bool()
        score = score.masked_fill(~mask, float('-inf'))
        out = torch.matmul(F.softmax(score, dim=-1), v)
        return self.wo(out.transpose(1, 2).contiguous().view(b, n, d))

    def ffn(self, x):
        return self.fc2(F.gelu(self.fc1(x)))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        x = x + self.ffn(self.norm2(x))
        return x
