import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_heads = num_heads
        self.n_kv = num_kv_heads
        self.hd = hidden_dim // num_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.hd)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.hd)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.hd)
        self.wo = nn.Linear(num_heads * self.hd, hidden_dim)

    def _rope(self, t, pos):
        # t: (B, heads, len, hd), pos: (len,)
        half = self.hd // 2
        idx = torch.arange(half, device=t.device, dtype=torch.float64)
        inv = self.base ** (-2.0 * idx / self.hd)
        ang = pos[:, None].double() * inv[None, :]
        c = torch.cos(ang).to(t.dtype)
        s = torch.sin(ang).to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        xq = self.wq(x).view(B, L, self.n_heads, self.hd).transpose(1, 2)
        xk = self.wk(x).view(B, L, self.n_kv, self.hd).transpose(1, 2)
        xv = self.wv(x).view(B, L, self.n_kv, self.hd).transpose(1, 2)

        if cache is not None:
            xk = torch.cat([cache['k'], xk], dim=2)
            xv = torch.cat([cache['v'], xv], dim=2)

        total = xk.size(2)
        positions = torch.arange(total, device=x.device)
        xq = self._rope(xq, positions[total - L:])
        xk = self._rope(xk, positions)
        new_cache = {'k': xk, 'v': xv}

        # grouped heads: (B, kv, rep, L, hd)
        xq = xq.view(B, self.n_kv, self.n_heads // self.n_kv, L, self.hd)
        att = torch.einsum('bgrqd,bgkd->bgrqk', xq, xk) / self.hd ** 0.5
        future = positions[None, :] > positions[total - L:, None]
        att = att.masked_fill(future, float('-inf'))
        att = torch.softmax(att, dim=-1)
        y = torch.einsum('bgrqk,bgkd->bqgrd', att, xv).reshape(B, L, -1)
        return self.wo(y), new_cache
