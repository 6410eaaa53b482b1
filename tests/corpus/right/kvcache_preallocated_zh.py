# right: kvcache
"""缓存多留一些空位；每次复制一份再写，不改动传进来的那份。"""
import math

import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        shape = (b, t, self.num_heads, self.head_dim)
        q, k, v = (w(x).view(shape) for w in (self.wq, self.wk, self.wv))
        if cache is None:
            start = 0
            buf_k = x.new_zeros(b, t + 8, self.num_heads, self.head_dim)
            buf_v = torch.zeros_like(buf_k)
        else:
            buf_k, buf_v, start = cache
            if start + t > buf_k.size(1):   # 不够就加长
                extra = x.new_zeros(b, t + 8, self.num_heads, self.head_dim)
                buf_k, buf_v = torch.cat([buf_k, extra], 1), torch.cat([buf_v, extra], 1)
        buf_k, buf_v = buf_k.clone(), buf_v.clone()
        buf_k[:, start : start + t] = k
        buf_v[:, start : start + t] = v
        end = start + t
        keys, values = buf_k[:, :end].transpose(1, 2), buf_v[:, :end].transpose(1, 2)
        scores = q.transpose(1, 2) @ keys.transpose(-1, -2) / math.sqrt(self.head_dim)
        i = torch.arange(start, end, device=x.device).unsqueeze(1)
        j = torch.arange(end, device=x.device)
        scores = scores.masked_fill(j > i, float("-inf"))
        out = scores.softmax(-1) @ values
        return self.wo(out.transpose(1, 2).flatten(2)), (buf_k, buf_v, end)
