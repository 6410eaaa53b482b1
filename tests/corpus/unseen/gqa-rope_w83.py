import math
import torch
from torch import nn


def rope(x, pos, base):
    # x (B, H, T, d), halves as in llama
    half = x.shape[-1] // 2
    freq = base ** (-torch.arange(half, device=x.device, dtype=torch.float64) / half)
    ang = pos.to(torch.float64)[:, None] * freq
    cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nh, self.nkv, self.hd, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.group = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, self.nh * self.hd)
        self.k_proj = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.v_proj = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.o_proj = nn.Linear(self.nh * self.hd, hidden_dim)

    def _decode(self, q, k, v):
        # one query: no mask, and k, v are read without copies
        b = q.shape[0]
        q = q.reshape(b, self.group, self.nkv, self.hd).transpose(1, 2)
        w = (q @ k.mT / math.sqrt(self.hd)).softmax(-1)
        out = w @ v  # (b, nkv, group, hd)
        return out.transpose(1, 2).reshape(b, 1, -1)

    def _prefill(self, q, k, v, start):
        k, v = (t.repeat_interleave(self.group, dim=1) for t in (k, v))
        s = q @ k.mT / math.sqrt(self.hd)
        i = torch.arange(start, k.shape[2], device=q.device)
        j = torch.arange(k.shape[2], device=q.device)
        s = s.masked_fill(j > i[:, None], torch.finfo(s.dtype).min)
        return (s.softmax(-1) @ v).transpose(1, 2).flatten(2)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        start = cache["k"].shape[2] if cache else 0
        q = self.q_proj(x).view(b, t, self.nh, self.hd).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.nkv, self.hd).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.nkv, self.hd).transpose(1, 2)
        pos = torch.arange(start, start + t, device=x.device)
        q, k = rope(q, pos, self.base), rope(k, pos, self.base)
        if cache:
            k, v = torch.cat((cache["k"], k), 2), torch.cat((cache["v"], v), 2)
        ctx = self._decode(q, k, v) if t == 1 else self._prefill(q, k, v, start)
        return self.o_proj(ctx), {"k": k, "v": v}
