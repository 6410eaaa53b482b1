# attn-kata: gqa-rope
# GQA + RoPE + KV cache
import math

import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim)

    # 旋转位置编码, 前一半和后一半配对
    def rope(self, x, start):
        L, d = x.shape[2], x.shape[3]
        i = torch.arange(d // 2, device=x.device).float()
        theta = 1.0 / torch.pow(torch.tensor(float(self.base), device=x.device), 2 * i / d)
        p = torch.arange(start, start + L, device=x.device).float()
        angle = p.unsqueeze(1) * theta.unsqueeze(0)      # [L, d/2]
        cos = torch.cos(angle).to(x.dtype)
        sin = torch.sin(angle).to(x.dtype)
        x1 = x[..., :d // 2]
        x2 = x[..., d // 2:]
        return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        q = self.q_proj(x).view(B, L, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(B, L, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(B, L, self.num_kv_heads, self.head_dim).transpose(1, 2)
        if cache is None:
            step = 0
        else:
            step = cache['step']
        q = self.rope(q, step)
        k = self.rope(k, step)
        if cache is not None:
            k = torch.cat([cache['k'], k], dim=2)
            v = torch.cat([cache['v'], v], dim=2)
        new_cache = {'k': k, 'v': v, 'step': step + 1}

        # 把每个 kv 头复制给同组的 q 头
        n_rep = self.num_heads // self.num_kv_heads
        k = k.repeat_interleave(n_rep, dim=1)
        v = v.repeat_interleave(n_rep, dim=1)
        score = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim)
        S = k.shape[2]
        mask = torch.tril(torch.ones(L, S, device=x.device), diagonal=S - L)
        score = score.masked_fill(mask == 0, float('-inf'))
        out = torch.matmul(torch.softmax(score, dim=-1), v)
        out = out.transpose(1, 2).reshape(B, L, self.num_heads * self.head_dim)
        return self.o_proj(out), new_cache
