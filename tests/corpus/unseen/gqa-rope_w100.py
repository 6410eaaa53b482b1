import torch
import torch.nn as nn
import torch.nn.functional as F


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_head = num_heads
        self.n_kv_head = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.c_attn = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.head_dim, bias=False)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def rotate_(self, t, start):
        half = self.head_dim // 2
        pos = torch.arange(start, start + t.size(1), device=t.device).float()
        freq = self.base ** (-torch.arange(half, device=t.device).float() / half)
        theta = pos[:, None, None] * freq  # (T, 1, half)
        cos, sin = theta.cos().to(t.dtype), theta.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        a = a * cos - b * sin
        b = b * cos + a * sin
        return torch.cat((a, b), dim=-1)

    def forward(self, x, cache=None):
        B, T, C = x.size()
        kv = self.n_kv_head * self.head_dim
        q, k, v = self.c_attn(x).split([C, kv, kv], dim=2)
        q = q.view(B, T, self.n_head, self.head_dim)
        k = k.view(B, T, self.n_kv_head, self.head_dim)
        v = v.view(B, T, self.n_kv_head, self.head_dim)
        start = 0 if cache is None else cache["k"].size(1)
        q, k = self.rotate_(q, start), self.rotate_(k, start)
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=1)
            v = torch.cat([cache["v"], v], dim=1)
        # (B, T, kv heads, group, hs)
        q = q.view(B, T, self.n_kv_head, -1, self.head_dim)
        att = torch.einsum("btkgd,bskd->bkgts", q, k) / (self.head_dim ** 0.5)
        rows = torch.arange(start, start + T, device=x.device)[:, None]
        cols = torch.arange(start + T, device=x.device)[None, :]
        att = F.softmax(att.masked_fill(cols > rows, float("-inf")), dim=-1)
        y = torch.einsum("bkgts,bskd->btkgd", att, v)
        return self.c_proj(y.reshape(B, T, C)), {"k": k, "v": v}
