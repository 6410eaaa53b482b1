# right: gqa-rope
# 每个 kv head 单独算一遍，慢，但看得清楚
import math

import torch
import torch.nn as nn


def 旋转(x, 起点, 底):
    """x: (batch, length, head_dim)，前后两半配对"""
    d = x.shape[-1]
    结果 = torch.empty_like(x)
    for i in range(d // 2):
        位置 = torch.arange(起点, 起点 + x.shape[1], device=x.device).to(torch.float32)
        角度 = 位置 * 底 ** (-2 * i / d)
        c, s = 角度.cos().to(x.dtype), 角度.sin().to(x.dtype)
        a, b = x[:, :, i], x[:, :, i + d // 2]
        结果[:, :, i] = a * c - b * s
        结果[:, :, i + d // 2] = b * c + a * s
    return 结果


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        self.head_dim = hidden_dim // num_heads
        self.w_q = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * 0.02)
        self.w_k = nn.Parameter(torch.randn(hidden_dim, num_kv_heads * self.head_dim) * 0.02)
        self.w_v = nn.Parameter(torch.randn(hidden_dim, num_kv_heads * self.head_dim) * 0.02)
        self.w_o = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * 0.02)
        self.b_o = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x, cache=None):
        d = self.head_dim
        旧 = cache if cache is not None else [None] * self.num_kv_heads
        起点 = 0 if cache is None else cache[0][0].shape[1]
        新, 输出 = [], []
        for g in range(self.num_kv_heads):
            k = 旋转(x @ self.w_k[:, g * d : (g + 1) * d], 起点, self.base)
            v = x @ self.w_v[:, g * d : (g + 1) * d]
            if 旧[g] is not None:
                k, v = torch.cat([旧[g][0], k], dim=1), torch.cat([旧[g][1], v], dim=1)
            新.append((k, v))
            每组 = self.num_heads // self.num_kv_heads
            for h in range(g * 每组, (g + 1) * 每组):
                q = 旋转(x @ self.w_q[:, h * d : (h + 1) * d], 起点, self.base)
                分数 = q @ k.transpose(1, 2) / math.sqrt(d)
                不可见 = torch.ones(分数.shape[-2:], dtype=torch.bool, device=x.device).triu(起点 + 1)
                输出.append(分数.masked_fill(不可见, float("-inf")).softmax(-1) @ v)
        return torch.cat(输出, dim=-1) @ self.w_o + self.b_o, 新
