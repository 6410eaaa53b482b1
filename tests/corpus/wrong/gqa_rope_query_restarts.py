# wrong: gqa-rope rope-positions-restart line 37
# fair: rope-positions-restart 10 15
# Keys are cached plain and turned anew, from 0: right for them, and wrong for the queries.
import torch
from torch import nn


def rope(x, base):
    d = x.shape[-1]
    angles = torch.arange(x.shape[-2], device=x.device)[:, None] * base ** (
        -torch.arange(0, d, 2, device=x.device) / d
    )
    a, b = x.chunk(2, dim=-1)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class GQA(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.h, self.g, self.base = num_heads, num_kv_heads, base
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim // num_heads * num_kv_heads)
        self.v = nn.Linear(hidden_dim, hidden_dim // num_heads * num_kv_heads)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        d = e // self.h
        q = self.q(x).view(b, t, self.h, d).transpose(1, 2)
        k = self.k(x).view(b, t, self.g, d).transpose(1, 2)
        v = self.v(x).view(b, t, self.g, d).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        cache = (k, v)
        q = rope(q, self.base)
        k = rope(k, self.base)
        n = k.shape[2]
        k, v = (z.repeat_interleave(self.h // self.g, dim=1) for z in (k, v))
        s = q @ k.mT / d**0.5
        s = s.masked_fill(torch.ones(t, n, device=x.device).tril(n - t) == 0, float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, e)), cache
