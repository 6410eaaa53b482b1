# wrong: gqa-rope rope-on-values line 27, scale-missing line 31
# fair: rope-on-values 21
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.heads = num_heads, num_kv_heads, num_kv_heads
        self.width = hidden_dim // num_heads
        self.base = base
        self.inp = nn.Linear(hidden_dim, sum(self.heads) * self.width)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def spin(self, z, start):
        rate = self.base ** -(torch.arange(0, self.width, 2, device=z.device).double() / self.width)
        angle = (torch.arange(start, start + z.size(1), device=z.device).double()[:, None] * rate)[:, None]
        u, w = z.chunk(2, dim=-1)
        cos, sin = angle.cos().to(z.dtype), angle.sin().to(z.dtype)
        return torch.cat([u * cos - w * sin, w * cos + u * sin], dim=-1)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        start = 0 if cache is None else cache[0].size(1)
        parts = self.inp(x).view(b, t, -1, self.width).split(self.heads, dim=2)
        q, k, v = (self.spin(part, start) for part in parts)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        q = q.unflatten(2, (self.heads[1], -1))
        scores = torch.einsum("btgrd,bsgd->bgrts", q, k)
        ahead = torch.ones(t, start + t, device=x.device).triu(start + 1).bool()
        weights = scores.masked_fill(ahead, float("-inf")).softmax(-1)
        y = torch.einsum("bgrts,bsgd->btgrd", weights, v)
        return self.out(y.reshape(b, t, e)), (k, v)
