# wrong: gqa-rope rope-turned-again line 32
# fair: rope-turned-again 21 33
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.h, self.g, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        freq = base ** (-torch.arange(0, self.d, 2).float() / self.d)
        angle = torch.outer(torch.arange(512).float(), freq)
        self.register_buffer("angle", torch.cat([angle, angle], -1), persistent=False)
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * self.g * self.d)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def rotate(self, x, lo, hi):
        cos, sin = self.angle[lo:hi].cos().to(x.dtype), self.angle[lo:hi].sin().to(x.dtype)
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q = self.q(x).view(b, t, self.h, self.d).transpose(1, 2)
        k, v = self.kv(x).view(b, t, 2 * self.g, self.d).transpose(1, 2).chunk(2, dim=1)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        n = k.shape[2]
        q = self.rotate(q, n - t, n)
        k = self.rotate(k, 0, n)
        cache = (k, v)
        r = self.h // self.g
        s = q @ k.repeat_interleave(r, 1).mT / self.d**0.5
        s = s.masked_fill(torch.ones(t, n, device=x.device).tril(n - t) == 0, float("-inf"))
        y = s.softmax(-1) @ v.repeat_interleave(r, 1)
        return self.o(y.transpose(1, 2).reshape(b, t, e)), cache
