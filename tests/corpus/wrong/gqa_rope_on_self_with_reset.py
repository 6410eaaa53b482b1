# wrong: gqa-rope cache-on-self line 41
# fair: cache-on-self 39 40 42 35
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.reset()

    def reset(self):
        self.k_cache = None
        self.v_cache = None

    def rope(self, x, start):
        freqs = self.base ** (-torch.arange(0, self.head_dim, 2, device=x.device) / self.head_dim)
        angles = torch.arange(start, start + x.shape[2], device=x.device)[:, None] * freqs
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q = self.q_proj(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        start = 0
        if self.k_cache is not None and self.k_cache.shape[0] == b:
            start = self.k_cache.shape[2]
        q, k = self.rope(q, start), self.rope(k, start)
        if start:
            k = torch.cat([self.k_cache, k], dim=2)
            v = torch.cat([self.v_cache, v], dim=2)
        self.k_cache = k
        self.v_cache = v
        r = self.num_heads // self.num_kv_heads
        s = q @ k.repeat_interleave(r, 1).mT / self.head_dim**0.5
        s = s.masked_fill(torch.ones(t, start + t, device=x.device).tril(start) == 0, float("-inf"))
        y = s.softmax(-1) @ v.repeat_interleave(r, 1)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, e)), (k, v)
