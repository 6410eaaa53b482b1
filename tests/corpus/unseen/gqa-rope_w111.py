import math

import torch
from torch import nn


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_heads = num_heads
        self.n_kv = num_kv_heads
        self.d = hidden_dim // num_heads
        self.base = base
        self.q_proj = nn.Linear(hidden_dim, self.n_heads * self.d, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.n_kv * self.d, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.n_kv * self.d, bias=False)
        self.o_proj = nn.Linear(self.n_heads * self.d, hidden_dim, bias=False)

    def cos_sin(self, start, length, like):
        exponent = torch.arange(0, self.d, 2, device=like.device).to(torch.float64) / self.d
        inv_freq = self.base ** -exponent
        pos = torch.arange(start, start + length, device=like.device)
        angle = pos.to(like.dtype)[:, None] * inv_freq.to(like.dtype)[None, :]
        angle = torch.cat((angle, angle), dim=-1)
        return angle.cos(), angle.sin()

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        q = self.q_proj(x).view(B, T, self.n_heads, self.d).transpose(1, 2)
        k = self.k_proj(x).view(B, T, self.n_kv, self.d).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.n_kv, self.d).transpose(1, 2)

        past = 0 if cache is None else cache[0].size(2)
        cos, sin = self.cos_sin(past, T, x)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin

        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        new_cache = (k, v)

        rep = self.n_heads // self.n_kv
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)
        att = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        S = k.size(2)
        hide = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(S - T + 1)
        att = att.masked_fill(hide, float("-inf")).softmax(-1)
        y = (att @ v).transpose(1, 2).reshape(B, T, -1)
        return self.o_proj(y), new_cache
