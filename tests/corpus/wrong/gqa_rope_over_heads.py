# wrong: gqa-rope rope-over-heads line 32
# fair: rope-over-heads 11 14
# The helper takes (…, length, head_dim), and is handed (batch, length, heads, head_dim).
import torch
from torch import nn


def rope(x, start, base):
    length, d = x.shape[-2], x.shape[-1]
    freqs = base ** (-torch.arange(0, d, 2, device=x.device) / d)
    angles = torch.arange(start, start + length, device=x.device)[:, None] * freqs
    a, b = x.chunk(2, dim=-1)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.h, self.g, self.base = num_heads, num_kv_heads, base
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim // num_heads * num_kv_heads)
        self.v = nn.Linear(hidden_dim, hidden_dim // num_heads * num_kv_heads)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q = self.q(x).view(b, t, self.h, -1)
        k = self.k(x).view(b, t, self.g, -1)
        v = self.v(x).view(b, t, self.g, -1)
        start = 0 if cache is None else cache[0].shape[1]
        q = rope(q, start, self.base)
        k = rope(k, start, self.base)
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=1), torch.cat([cache[1], v], dim=1)
        n, r = start + t, self.h // self.g
        s = q.transpose(1, 2) @ k.repeat_interleave(r, 2).permute(0, 2, 3, 1) / (e // self.h) ** 0.5
        s = s.masked_fill(torch.ones(t, n, device=x.device).tril(n - t) == 0, float("-inf"))
        y = s.softmax(-1) @ v.repeat_interleave(r, 2).transpose(1, 2)
        return self.o(y.transpose(1, 2).reshape(b, t, e)), (k, v)
