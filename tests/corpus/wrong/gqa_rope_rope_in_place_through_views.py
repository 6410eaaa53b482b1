# wrong: gqa-rope rope-uses-turned line 15
# fair: rope-uses-turned 17
import math

import torch
import torch.nn as nn


def rope_(x, start, base):
    # x: (B, nh, T, hs), saves memory by writing into x
    B, nh, T, hs = x.shape
    freqs = base ** (-torch.arange(0, hs, 2, device=x.device).float() / hs)
    angles = torch.arange(start, start + T, device=x.device).float()[:, None] * freqs
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    x1, x2 = x[..., : hs // 2], x[..., hs // 2 :]
    x[..., : hs // 2] = x1 * cos - x2 * sin
    x[..., hs // 2 :] = x2 * cos + x1 * sin
    return x


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_head, self.n_kv_head = num_heads, num_kv_heads
        self.hs = hidden_dim // num_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.hs, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.hs, bias=False)
        self.proj = nn.Linear(num_heads * self.hs, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q = self.wq(x).reshape(B, T, self.n_head, self.hs).transpose(1, 2).clone()
        k, v = self.wkv(x).reshape(B, T, 2, self.n_kv_head, self.hs).permute(2, 0, 3, 1, 4).clone()
        past = cache[0].shape[2] if cache is not None else 0
        q = rope_(q.contiguous(), past, self.base)
        k = rope_(k.clone(), past, self.base)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        new_cache = (k, v)
        k = k.repeat_interleave(self.n_head // self.n_kv_head, dim=1)
        v = v.repeat_interleave(self.n_head // self.n_kv_head, dim=1)
        att = q @ k.transpose(-2, -1) / math.sqrt(self.hs)
        i = torch.arange(past, past + T, device=x.device)[:, None]
        j = torch.arange(past + T, device=x.device)[None, :]
        att = att.masked_fill(j > i, float("-inf")).softmax(dim=-1)
        y = (att @ v).transpose(1, 2).reshape(B, T, -1)
        return self.proj(y), new_cache
