# attn-kata: block
# 预归一化的 Transformer block, 尽量手写
import math

import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        # 方差除以 dim, 不是 dim - 1
        mean = x.mean(dim=-1, keepdim=True)
        centered = x - mean
        var = centered.pow(2).mean(dim=-1, keepdim=True)
        return centered / torch.sqrt(var + self.eps) * self.weight + self.bias


class CausalAttention(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)
        self.wo = nn.Linear(dim, dim)

    def forward(self, x):
        B, L, D = x.shape
        q = self.wq(x).reshape(B, L, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        k = self.wk(x).reshape(B, L, self.num_heads, self.head_dim).permute(0, 2, 3, 1)
        v = self.wv(x).reshape(B, L, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        score = torch.matmul(q, k) / math.sqrt(self.head_dim)
        # 因果掩码
        pos = torch.arange(L, device=x.device)
        score = score.masked_fill(pos[None, :] > pos[:, None], float("-inf"))
        out = torch.matmul(torch.softmax(score, dim=-1), v)
        return self.wo(out.permute(0, 2, 1, 3).reshape(B, L, D))


class MLP(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x):
        h = self.up(x)
        h = 0.5 * h * (1.0 + torch.erf(h / math.sqrt(2.0)))      # 精确的 GELU
        return self.down(h)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.norm_1 = LayerNorm(hidden_dim)
        self.attention = CausalAttention(hidden_dim, num_heads)
        self.norm_2 = LayerNorm(hidden_dim)
        self.mlp = MLP(hidden_dim)

    def forward(self, x):
        # 残差 1
        attended = x + self.attention(self.norm_1(x))
        # 残差 2
        return attended + self.mlp(self.norm_2(attended))
