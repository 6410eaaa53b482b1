"""GQA + RoPE. Everything is time-major (T, B, ...) between the transposes."""
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.H, self.G = num_heads, num_kv_heads
        self.D = hidden_dim // num_heads
        self.base = base
        self.lin_q = nn.Linear(hidden_dim, self.H * self.D)
        self.lin_k = nn.Linear(hidden_dim, self.G * self.D)
        self.lin_v = nn.Linear(hidden_dim, self.G * self.D)
        self.lin_o = nn.Linear(self.H * self.D, hidden_dim)

    def rope(self, t, first):
        """t is (T, B, heads, D), its first row stands at position `first`."""
        dt = torch.promote_types(t.dtype, torch.float32)
        pos = torch.arange(first, first + t.size(0), device=t.device).to(dt)
        inv = self.base ** (-torch.arange(0, self.D, 2, device=t.device).to(dt) / self.D)
        ang = (pos[:, None] * inv[None, :])[:, None, None, :]      # (T, 1, 1, D/2)
        c, s = ang.cos(), ang.sin()
        lo, hi = t.to(dt).tensor_split(2, dim=-1)
        return torch.cat([lo * c - hi * s, hi * c + lo * s], dim=-1).to(t.dtype)

    def forward(self, x, cache=None):
        x = x.transpose(0, 1)
        T, B, _ = x.shape
        q = self.lin_q(x).view(T, B, self.H, self.D)
        k = self.lin_k(x).view(T, B, self.G, self.D)
        v = self.lin_v(x).view(T, B, self.G, self.D)

        done = 0
        if cache is not None:
            done = cache["k"].size(0)
            k = torch.cat([cache["k"], k])
            v = torch.cat([cache["v"], v])
        q = self.rope(q, done)
        k = self.rope(k, 0)
        cache = {"k": k, "v": v}

        q = q.view(T, B, self.G, self.H // self.G, self.D)
        e = torch.einsum("tbgrd,sbgd->bgrts", q, k) * self.D ** -0.5
        t_idx = done + torch.arange(T, device=x.device)
        s_idx = torch.arange(done + T, device=x.device)
        e = e.masked_fill(s_idx[None, :] > t_idx[:, None], float("-inf"))
        y = torch.einsum("bgrts,sbgd->tbgrd", e.softmax(-1), v)
        y = self.lin_o(y.reshape(T, B, self.H * self.D))
        return y.transpose(0, 1), cache
