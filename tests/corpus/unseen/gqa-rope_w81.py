from __future__ import annotations

import torch
from torch import Tensor, nn


def turn(x: Tensor, base: float, start: int = 0) -> Tensor:
    n, d = x.shape[-2:]
    i = torch.arange(0, d, 2, device=x.device, dtype=torch.float32)
    theta = torch.arange(start, start + n, device=x.device).float().unsqueeze(1) / base ** (i / d)
    cos, sin = theta.cos().to(x.dtype), theta.sin().to(x.dtype)
    lo, hi = x.split(d // 2, dim=-1)
    return torch.cat((lo * cos - hi * sin, hi * cos + lo * sin), -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.cfg = dict(h=num_heads, g=num_kv_heads, d=hidden_dim // num_heads, base=base)
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.cfg["d"], bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: dict | None = None):
        h, g, d, base = (self.cfg[n] for n in ("h", "g", "d", "base"))
        b, t, _ = x.shape
        q = self.q(x).view(b, t, h, d).transpose(1, 2)
        k, v = self.kv(x).view(b, t, 2, g, d).permute(2, 0, 3, 1, 4)
        if cache is not None:
            k = torch.cat([cache["k"], k], dim=-2)
            v = torch.cat([cache["v"], v], dim=-2)
        s = k.size(-2)
        q = turn(q, base, start=s - t)
        k = turn(k, base)
        cache = {"k": k, "v": v}
        k, v = (z.repeat_interleave(h // g, dim=1) for z in (k, v))
        w = (q @ k.mT) / d**0.5
        keep = torch.arange(s, device=x.device).view(1, -1) <= torch.arange(s - t, s, device=x.device).view(-1, 1)
        w = w.masked_fill(~keep, torch.finfo(w.dtype).min).softmax(-1)
        return self.o((w @ v).transpose(1, 2).flatten(2)), cache
