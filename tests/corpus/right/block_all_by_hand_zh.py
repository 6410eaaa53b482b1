# right: block
"""面试手写：GPT-2 的一层，LayerNorm、GELU 都自己写"""
import math

import torch
import torch.nn as nn


class 层归一化(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        mu = x.mean(dim=-1, keepdim=True)                    # 每个位置自己的均值
        var = x.var(dim=-1, keepdim=True, unbiased=False)    # 除以 n，不是 n-1
        return (x - mu) / torch.sqrt(var + self.eps) * self.gamma + self.beta


def gelu(x):
    # 精确的 GELU：x·Φ(x)
    return 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))


class 注意力(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.d = dim // heads
        self.W_q = nn.Linear(dim, dim)
        self.W_k = nn.Linear(dim, dim)
        self.W_v = nn.Linear(dim, dim)
        self.W_o = nn.Linear(dim, dim)

    def 拆头(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.heads, self.d).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = self.拆头(self.W_q(x)), self.拆头(self.W_k(x)), self.拆头(self.W_v(x))
        分数 = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d)
        # 下三角：只能看自己和之前
        能看 = torch.tril(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device))
        分数 = 分数.masked_fill(~能看, float("-inf"))
        结果 = torch.matmul(torch.softmax(分数, dim=-1), v)
        return self.W_o(结果.permute(0, 2, 1, 3).reshape(x.shape))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.norm1 = 层归一化(hidden_dim)
        self.attn = 注意力(hidden_dim, num_heads)
        self.norm2 = 层归一化(hidden_dim)
        self.fc1 = nn.Linear(hidden_dim, hidden_dim * 4)
        self.fc2 = nn.Linear(hidden_dim * 4, hidden_dim)

    def forward(self, x):
        # 先 norm 再进子层，残差加的是没有 norm 过的 x
        h = x + self.attn(self.norm1(x))
        return h + self.fc2(gelu(self.fc1(self.norm2(h))))
