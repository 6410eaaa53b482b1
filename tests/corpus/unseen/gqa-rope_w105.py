import math
import torch
from torch import nn


def rotate(x, start, base):
    # x: (B, H, T, D)
    half = x.shape[-1] // 2
    inv = base ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
    p = torch.arange(start, start + x.shape[2], device=x.device, dtype=torch.float32)
    a = p[:, None] * inv
    cos, sin = a.cos().to(x.dtype), a.sin().to(x.dtype)
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nh, self.nkv, self.base = num_heads, num_kv_heads, base
        self.hd = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.hd)
        self.wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.hd)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q = self.wq(x).view(B, T, self.nh, self.hd).transpose(1, 2)
        k, v = self.wkv(x).view(B, T, 2, self.nkv, self.hd).permute(2, 0, 3, 1, 4)
        past = 0
        if cache is not None:
            past = cache[0].shape[2]
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        q = rotate(q, past, self.base)
        k = rotate(k, 0, self.base)
        new_cache = (k, v)
        rep = self.nh // self.nkv
        k, v = k.repeat_interleave(rep, 1), v.repeat_interleave(rep, 1)
        s = q @ k.mT / math.sqrt(self.hd)
        i = torch.arange(past, past + T, device=x.device)[:, None]
        s = s.masked_fill(torch.arange(past + T, device=x.device) > i, -math.inf)
        y = (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C)
        return self.wo(y), new_cache
