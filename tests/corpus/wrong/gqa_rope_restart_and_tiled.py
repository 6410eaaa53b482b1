# wrong: gqa-rope rope-positions-restart line 23, kv-heads-tiled line 35
# fair: rope-positions-restart 24 30 28
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.nq, self.nkv, self.base = num_heads, num_kv_heads, base
        self.q_lin = nn.Linear(hidden_dim, hidden_dim)
        self.k_lin = nn.Linear(hidden_dim, hidden_dim * num_kv_heads // num_heads)
        self.v_lin = nn.Linear(hidden_dim, hidden_dim * num_kv_heads // num_heads)
        self.o_lin = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        d = e // self.nq
        q = self.q_lin(x).view(b, t, self.nq, d).transpose(1, 2)
        k = self.k_lin(x).view(b, t, self.nkv, d).transpose(1, 2)
        v = self.v_lin(x).view(b, t, self.nkv, d).transpose(1, 2)

        pos = torch.arange(t, device=x.device)
        ang = pos[:, None] * self.base ** (-torch.arange(0, d, 2, device=x.device) / d)

        def rot(z):
            a, c = z.chunk(2, -1)
            return torch.cat([a * ang.cos().to(z) - c * ang.sin().to(z), c * ang.cos().to(z) + a * ang.sin().to(z)], -1)

        q = rot(q)
        k = rot(k)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        kk = torch.cat([k] * (self.nq // self.nkv), dim=1)
        vv = torch.cat([v] * (self.nq // self.nkv), dim=1)
        n = kk.size(2)
        s = q @ kk.transpose(2, 3) / d**0.5
        s = s.masked_fill(torch.ones(t, n, device=x.device).tril(n - t) == 0, float("-inf"))
        return self.o_lin((s.softmax(-1) @ vv).transpose(1, 2).reshape(b, t, e)), (k, v)
