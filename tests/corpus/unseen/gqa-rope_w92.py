from __future__ import annotations
from typing import NamedTuple, Optional
import torch
from torch import Tensor, nn


class KV(NamedTuple):
    k: Tensor
    v: Tensor


def angle_table(first: int, count: int, head_dim: int, base: float, device) -> Tensor:
    pos = torch.arange(first, first + count, device=device, dtype=torch.float64)
    i = torch.arange(head_dim // 2, device=device, dtype=torch.float64)
    return pos[:, None] / base ** (i / head_dim)


def turn(t: Tensor, ang: Tensor) -> Tensor:
    c, s = ang.cos()[:, None].to(t.dtype), ang.sin()[:, None].to(t.dtype)
    lo, hi = t.chunk(2, -1)
    return torch.cat((lo * c - hi * s, hi * c + lo * s), -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.sizes = (num_heads, num_kv_heads, hidden_dim // num_heads)
        self.base = float(base)
        kv_width = num_kv_heads * self.sizes[2]
        self.maps = nn.ModuleDict({
            "q": nn.Linear(hidden_dim, hidden_dim), "k": nn.Linear(hidden_dim, kv_width),
            "v": nn.Linear(hidden_dim, kv_width), "o": nn.Linear(hidden_dim, hidden_dim),
        })

    def forward(self, x: Tensor, cache: Optional[KV] = None):
        H, G, D = self.sizes
        q, k, v = (self.maps[n](x).unflatten(-1, (-1, D)) for n in "qkv")   # (B, T, heads, D)
        done = 0 if cache is None else cache.k.size(1)
        ang = angle_table(done, x.size(1), D, self.base, x.device)
        q, k = turn(q, ang), turn(k, ang)
        if cache is not None:
            k, v = torch.cat([cache.k, k], 1), torch.cat([cache.v, v], 1)
        out = KV(k, v)
        logits = torch.einsum("bqgrd,bkgd->bgrqk", q.unflatten(2, (G, H // G)), k) * D ** -0.5
        hide = torch.ones(logits.shape[-2:], dtype=torch.bool, device=x.device).triu(1 + done)
        p = logits.masked_fill(hide, -torch.inf).softmax(-1)
        y = torch.einsum("bgrqk,bkgd->bqgrd", p, v).flatten(2)
        return self.maps["o"](y), out
