import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    """Keys are cached unrotated; all of them are rotated in every call."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.heads, self.kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv_dim = num_kv_heads * self.head_dim
        self.sizes = [hidden_dim, kv_dim, kv_dim]
        self.wqkv = nn.Linear(hidden_dim, sum(self.sizes), bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.base = base

    def table(self, length, device):
        half = self.head_dim // 2
        i = torch.arange(half, device=device, dtype=torch.float64)
        freq = self.base ** (-i / self.head_dim)
        p = torch.arange(length, device=device, dtype=torch.float64)
        ang = p[:, None] * freq[None, :]
        return ang.cos(), ang.sin()

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        q, k, v = self.wqkv(x).split(self.sizes, dim=-1)
        kv = torch.stack([k, v]).unflatten(-1, (self.kv_heads, self.head_dim))
        if cache is not None:
            kv = torch.cat([cache, kv], dim=2)
        S = kv.shape[2]
        cos, sin = (t.to(x.dtype) for t in self.table(S, x.device))

        def turn(t, c, s):  # (B, length, ..., head_dim)
            c, s = (u.view(u.shape[0], *[1] * (t.dim() - 3), -1) for u in (c, s))
            first, second = t.chunk(2, dim=-1)
            return torch.cat([first * c - second * s, second * c + first * s], -1)

        q = q.view(B, T, self.kv_heads, self.heads // self.kv_heads, self.head_dim)
        q = turn(q, cos[S - T :], sin[S - T :])
        k = turn(kv[0], cos, sin)
        att = torch.einsum("btgrd,bsgd->bgrts", q, k) / self.head_dim**0.5
        mask = torch.arange(S, device=x.device)[None] > torch.arange(S - T, S, device=x.device)[:, None]
        att = att.masked_fill(mask, float("-inf")).softmax(-1)
        y = torch.einsum("bgrts,bsgd->btgrd", att, kv[1])
        return self.wo(y.reshape(B, T, -1)), kv
