# InternLM2: one wqkv, laid out group by group: gs query heads, then that group's key, then its value
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.g = num_kv_heads
        self.gs = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.base = base
        self.wqkv = nn.Linear(hidden_dim, self.g * (self.gs + 2) * self.d, bias=True)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=True)

    def rotate(self, t, start):
        """t is (..., length, d); its first row has position start"""
        n, half = t.shape[-2], self.d // 2
        i = torch.arange(half, dtype=torch.float64, device=t.device)
        p = torch.arange(start, start + n, dtype=torch.float64, device=t.device)
        phase = p[:, None] * torch.pow(float(self.base), -2 * i / self.d)
        cos, sin = phase.cos().to(t.dtype), phase.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        out = torch.empty_like(t)
        out[..., :half] = a * cos - b * sin
        out[..., half:] = b * cos + a * sin
        return out

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        qkv = self.wqkv(x).view(b, n, self.g, self.gs + 2, self.d)
        qkv = qkv.permute(0, 2, 3, 1, 4)                     # b g (gs+2) n d
        q, kv = qkv[:, :, : self.gs], qkv[:, :, self.gs :]
        if cache is not None:                                # raw keys and values in one tensor
            kv = torch.cat((cache, kv), dim=3)
        m = kv.shape[3]
        k, v = kv[:, :, :1], kv[:, :, 1:]                    # b g 1 m d: shared by the group

        q = self.rotate(q, m - n)
        k = self.rotate(k, 0)
        s = q @ k.transpose(-1, -2) * self.d**-0.5           # b g gs n m
        rows = torch.arange(m - n, m, device=x.device).view(n, 1)
        cols = torch.arange(m, device=x.device).view(1, m)
        s = s.masked_fill(rows < cols, float("-inf"))
        y = s.softmax(-1) @ v                                # b g gs n d
        y = y.permute(0, 3, 1, 2, 4).flatten(2)
        return self.wo(y), kv
