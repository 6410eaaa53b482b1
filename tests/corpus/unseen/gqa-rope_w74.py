import math, torch
from torch import nn

def rope(x, p, base):
    d = x.shape[-1]
    f = base ** (-torch.arange(0, d, 2, device=x.device, dtype=p.dtype) / d)
    w = p[:, None] * f
    c, s = w.cos(), w.sin()
    a, b = x[..., :d // 2], x[..., d // 2:]
    return torch.cat([a * c - b * s, b * c + a * s], -1).type_as(x)

class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.h, self.n, self.base = num_heads, num_kv_heads, base
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, self.h * self.d)
        self.wkv = nn.Linear(hidden_dim, 2 * self.n * self.d)
        self.wo = nn.Linear(self.h * self.d, hidden_dim)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        n, g, d = self.n, self.h // self.n, self.d
        q = self.wq(x).view(B, T, self.h, d).transpose(1, 2)
        k, v = self.wkv(x).view(B, T, 2, n, d).permute(2, 0, 3, 1, 4)
        o = 0 if cache is None else cache[0].size(2)
        p = torch.arange(o, o + T, device=x.device, dtype=torch.promote_types(x.dtype, torch.float32))
        q, k = rope(q, p, self.base), rope(k, p, self.base)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        q = q.view(B, g, n, T, d)
        a = q @ k[:, None].mT / math.sqrt(d)
        a = a.masked_fill(torch.ones(T, o + T, device=x.device).triu(o + 1).bool(), -math.inf)
        y = a.softmax(-1) @ v[:, None]
        y = y.reshape(B, self.h, T, d).transpose(1, 2).reshape(B, T, -1)
        return self.wo(y), (k, v)
