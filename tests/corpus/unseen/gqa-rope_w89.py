# attn-kata: gqa-rope
from __future__ import annotations
import torch
from torch import nn, Tensor


def rope(t: Tensor, positions: Tensor, base: float) -> Tensor:
    half = t.shape[-1] // 2
    freq = base ** (-torch.arange(half, device=t.device, dtype=torch.float32) / half)
    ang = positions.float()[:, None] * freq
    c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
    a, b = t[..., :half], t[..., half:]
    return torch.cat((a * c - b * s, b * c + a * s), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nq, self.nk, self.base = num_heads, num_kv_heads, float(base)
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.d, bias=False)
        self.kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.d, bias=False)
        self.o = nn.Linear(num_heads * self.d, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, self.nq, self.d).transpose(1, 2)
        k, v = self.kv(x).view(b, n, 2 * self.nk, self.d).transpose(1, 2).chunk(2, dim=1)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        total = k.shape[2]
        everything = torch.arange(total, device=x.device)
        q = rope(q, everything[total - n:], self.base)
        kept = k
        k = rope(k, everything, self.base)
        cache = (k, v)
        group = self.nq // self.nk
        k, v = (t.repeat_interleave(group, dim=1) for t in (k, v))
        s = q @ k.mT * self.d ** -0.5
        s = s.masked_fill(everything > everything[total - n:, None], float("-inf"))
        y = (s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, -1)
        return self.o(y), cache
