# wrong: gqa-rope cache-changed-in-place line 17
# fair: cache-changed-in-place 23 24
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Buffer:
    k: torch.Tensor  # (batch, capacity, kv, dim), filled up to `used`
    v: torch.Tensor
    used: int

    def push(self, k, v):
        end = self.used + k.shape[1]
        buf_k, buf_v = self.k, self.v
        if end > buf_k.shape[1]:
            # double the room, so that appending stays cheap
            room = torch.zeros(k.shape[0], 2 * end - self.used, *k.shape[2:], dtype=k.dtype, device=k.device)
            buf_k = torch.cat([self.k[:, : self.used], room], dim=1)
            buf_v = torch.cat([self.v[:, : self.used], room], dim=1)
        buf_k[:, self.used : end] = k
        buf_v[:, self.used : end] = v
        return Buffer(buf_k, buf_v, end)


def rope(x, start, base):
    d = x.shape[-1]
    i = torch.arange(d // 2, device=x.device, dtype=torch.float64)
    p = torch.arange(start, start + x.shape[1], device=x.device, dtype=torch.float64)
    ang = (p[:, None] * base ** (-2 * i / d)).unsqueeze(1)
    cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.dim = hidden_dim // num_heads
        self.kv = num_kv_heads
        self.groups = num_heads // num_kv_heads
        self.base = base
        self.to_q = nn.Linear(hidden_dim, num_heads * self.dim)
        self.to_k = nn.Linear(hidden_dim, num_kv_heads * self.dim)
        self.to_v = nn.Linear(hidden_dim, num_kv_heads * self.dim)
        self.to_y = nn.Linear(num_heads * self.dim, hidden_dim)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        start = cache.used if cache is not None else 0
        q = rope(self.to_q(x).view(b, n, -1, self.dim), start, self.base)
        k = rope(self.to_k(x).view(b, n, -1, self.dim), start, self.base)
        v = self.to_v(x).view(b, n, -1, self.dim)
        if cache is None:
            cache = Buffer(k[:, :0], v[:, :0], 0)
        cache = cache.push(k, v)
        k, v = cache.k[:, : cache.used], cache.v[:, : cache.used]
        q = q.view(b, n, self.kv, self.groups, self.dim)
        s = torch.einsum("bqkgd,bskd->bkgqs", q, k) / self.dim**0.5
        late = torch.ones(n, cache.used, dtype=torch.bool, device=x.device).triu(start + 1)
        w = s.masked_fill(late, float("-inf")).softmax(-1)
        y = torch.einsum("bkgqs,bskd->bqkgd", w, v)
        return self.to_y(y.reshape(b, n, -1)), cache
