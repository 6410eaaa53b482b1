# wrong: gqa-rope cache-changed-in-place line 34
# fair: cache-changed-in-place 35 40
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.n, self.m, self.d, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, self.m * self.d)
        self.v = nn.Linear(hidden_dim, self.m * self.d)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q = self.q(x).view(b, t, self.n, self.d).transpose(1, 2)
        k = self.k(x).view(b, t, self.m, self.d).transpose(1, 2)
        v = self.v(x).view(b, t, self.m, self.d).transpose(1, 2)
        p = 0 if cache is None else cache["k"].shape[2]
        f = torch.arange(p, p + t, device=x.device)[:, None] * self.base ** (
            -torch.arange(0, self.d, 2, device=x.device) / self.d
        )
        cos, sin = f.cos().to(x.dtype), f.sin().to(x.dtype)
        q, k = (
            torch.cat([z[..., : self.d // 2] * cos - z[..., self.d // 2 :] * sin,
                       z[..., self.d // 2 :] * cos + z[..., : self.d // 2] * sin], -1)
            for z in (q, k)
        )
        if cache is None:
            cache = {"k": k, "v": v}
        else:
            cache["k"] = torch.cat([cache["k"], k], 2)
            cache["v"] = torch.cat([cache["v"], v], 2)
        r = self.n // self.m
        s = q @ cache["k"].repeat_interleave(r, 1).mT / self.d**0.5
        s = s.masked_fill(torch.ones_like(s).tril(p) == 0, float("-inf"))
        y = s.softmax(-1) @ cache["v"].repeat_interleave(r, 1)
        return self.proj(y.transpose(1, 2).reshape(b, t, e)), cache
