import torch
from torch import nn


def rope(t, positions, base):
    d = t.shape[-1]
    inv = base ** (torch.arange(0, d, 2, device=t.device, dtype=torch.float64) / -d)
    ang = positions.to(torch.float64)[:, None] * inv
    c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
    lo, hi = t.tensor_split(2, dim=-1)
    return torch.cat([lo * c - hi * s, hi * c + lo * s], -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.h, self.g, self.base = num_heads, num_kv_heads, base
        self.dh = hidden_dim // num_heads
        self.Q = nn.Linear(hidden_dim, num_heads * self.dh)
        self.KV = nn.Linear(hidden_dim, 2 * num_kv_heads * self.dh)
        self.O = nn.Linear(num_heads * self.dh, hidden_dim)

    def forward(self, x, cache=None):
        B, n, _ = x.shape
        q = self.Q(x).view(B, n, self.h, self.dh).transpose(1, 2)
        k, v = self.KV(x).view(B, n, 2, self.g, self.dh).permute(2, 0, 3, 1, 4)
        if cache is None:
            at = torch.arange(n, device=x.device)
        else:
            last = cache[0].shape[2]
            at = torch.arange(n, device=x.device) + last + 1
        q, k = rope(q, at, self.base), rope(k, at, self.base)
        if cache is not None:
            k, v = (torch.cat(pair, dim=2) for pair in zip(cache, (k, v)))
        S = k.shape[2]
        which = torch.arange(self.h, device=x.device) // (self.h // self.g)
        sc = q @ k[:, which].mT / self.dh ** 0.5
        see = torch.ones(S, S, device=x.device, dtype=torch.bool).tril()[-n:]
        w = sc.masked_fill(~see, -torch.inf).softmax(-1)
        return self.O((w @ v[:, which]).transpose(1, 2).flatten(2)), (k, v)
