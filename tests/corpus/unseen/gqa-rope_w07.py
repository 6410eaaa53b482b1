import torch
import torch.nn as nn
import torch.nn.functional as F


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_q, self.n_kv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.base = base
        self.q = nn.Linear(hidden_dim, self.n_q * self.hd, bias=False)
        self.k = nn.Linear(hidden_dim, self.n_kv * self.hd, bias=False)
        self.v = nn.Linear(hidden_dim, self.n_kv * self.hd, bias=False)
        self.o = nn.Linear(self.n_q * self.hd, hidden_dim, bias=False)

    def rope(self, t, pos):
        half = self.hd // 2
        inv = self.base ** (-torch.arange(0, half, device=t.device, dtype=torch.float64) / half)
        ang = pos.double()[:, None] * inv[None, :]
        cos, sin = ang.cos().repeat(1, 2), ang.sin().repeat(1, 2)
        turned = torch.roll(t, half, -1) * torch.cat([-torch.ones(half), torch.ones(half)]).to(t)
        return (t.double() * cos + turned.double() * sin).to(t.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        q = self.q(x).reshape(B, T, self.n_q, self.hd).permute(0, 2, 1, 3)
        k = self.k(x).reshape(B, T, self.n_kv, self.hd).permute(0, 2, 1, 3)
        v = self.v(x).reshape(B, T, self.n_kv, self.hd).permute(0, 2, 1, 3)
        offset = 0 if cache is None else cache['k'].size(1)
        pos = torch.arange(T, device=x.device) + offset
        q, k = self.rope(q, pos), self.rope(k, pos)
        if cache is not None:
            k = torch.cat([cache['k'], k], dim=-2)
            v = torch.cat([cache['v'], v], dim=-2)
        S = k.size(-2)
        rep = self.n_q // self.n_kv
        s = torch.einsum('bgrid,bgjd->bgrij', q.unflatten(1, (self.n_kv, rep)), k) / self.hd ** 0.5
        future = torch.ones(T, S, device=x.device, dtype=torch.bool).triu(S - T + 1)
        p = F.softmax(s.masked_fill(future, float('-inf')), dim=-1)
        y = torch.einsum('bgrij,bgjd->bigrd', p, v).reshape(B, T, -1)
        return self.o(y), {'k': k, 'v': v}
