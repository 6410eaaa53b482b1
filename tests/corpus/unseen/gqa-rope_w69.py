# 分组查询注意力 + RoPE + KV 缓存
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.groups = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def rope(self, t, start):
        """t: [b, h, n, d]，前一半与后一半配对旋转"""
        n, d = t.shape[-2:]
        ft = torch.promote_types(t.dtype, torch.float32)
        freq = self.base ** (-torch.arange(0, d, 2, device=t.device, dtype=ft) / d)
        ang = torch.arange(start, start + n, device=t.device, dtype=ft).unsqueeze(-1) * freq
        c, s = ang.cos(), ang.sin()
        a, b = t[..., : d // 2], t[..., d // 2 :]
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1).to(t.dtype)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.wq(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(b, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(b, n, self.num_kv_heads, self.head_dim).transpose(1, 2)

        past = 0 if cache is None else cache[0].size(2)
        q, k = self.rope(q, past), self.rope(k, past)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        # 缓存不需要计算图，否则显存会一直增长
        present = (k.detach(), v.detach())
        k, v = present

        # 每组 query 头共享一个 kv 头: [b, hk, g, n, d]
        q = q.reshape(b, self.num_kv_heads, self.groups, n, self.head_dim)
        scores = torch.matmul(q, k.unsqueeze(2).transpose(-1, -2)) / math.sqrt(self.head_dim)
        total = k.size(2)
        mask = torch.ones(n, total, dtype=torch.bool, device=x.device).tril(diagonal=total - n)
        scores = scores.masked_fill(~mask, float("-inf"))
        out = torch.matmul(F.softmax(scores, dim=-1), v.unsqueeze(2))
        out = out.reshape(b, self.num_heads, n, self.head_dim).transpose(1, 2)
        return self.wo(out.reshape(b, n, -1)), present
