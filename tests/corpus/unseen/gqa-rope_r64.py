# 小さな部品を組み合わせた GQA + RoPE + キャッシュ
import math

import torch
from torch import nn


class AngleTable:
    """cos と sin の表。足りなくなったら作り直す。位置は 1 から数える（差だけが効く）。"""

    def __init__(self, dim, base):
        self.dim, self.base = dim, base
        self.cos = self.sin = None

    def rows(self, start, stop, like):
        wide = torch.float64 if like.dtype == torch.float64 else torch.float32
        short = self.cos is None or self.cos.shape[0] < stop
        if short or self.cos.device != like.device or self.cos.dtype != wide:
            n = max(64, 2 * stop)
            pos = torch.arange(1, n + 1, dtype=torch.float64, device=like.device)
            freq = torch.exp(
                torch.arange(0, self.dim, 2, dtype=torch.float64, device=like.device)
                * (-math.log(self.base) / self.dim)
            )
            angle = pos[:, None] * freq
            angle = torch.cat([angle, angle], dim=1)
            self.cos, self.sin = angle.cos().to(wide), angle.sin().to(wide)
        return self.cos[start:stop], self.sin[start:stop]


class Rotate:
    def __call__(self, t, cos, sin):
        # t: (b, t, ..., d) 。時間は 1 番目の軸
        shape = (1, t.shape[1]) + (1,) * (t.dim() - 3) + (t.shape[-1],)
        cos, sin = cos.view(shape), sin.view(shape)
        half = t.shape[-1] // 2
        swapped = torch.roll(t, half, dims=-1)
        sign = torch.ones(t.shape[-1], device=t.device, dtype=cos.dtype)
        sign[:half] = -1
        return (t * cos + swapped * (sign * sin)).to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.g, self.r = num_kv_heads, num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.d)
        self.kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.d)
        self.o = nn.Linear(num_heads * self.d, hidden_dim)
        self.table = AngleTable(self.d, base)
        self.rotate = Rotate()

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        # キャッシュは (k, v) の断片のタプル。断片は時間が 1 番目の軸
        pieces = cache if cache is not None else ()
        past = sum(k.shape[1] for k, _ in pieces)
        cos, sin = self.table.rows(past, past + t, x)

        q = self.q(x).view(b, t, self.g, self.r, self.d)
        k, v = self.kv(x).view(b, t, 2, self.g, self.d).unbind(2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)

        pieces = pieces + ((k, v),)
        all_k = torch.cat([p[0] for p in pieces], dim=1)
        all_v = torch.cat([p[1] for p in pieces], dim=1)

        s = torch.einsum("bqgrd,bkgd->bgrqk", q, all_k) / math.sqrt(self.d)
        q_at = torch.arange(past, past + t, device=x.device).unsqueeze(1)
        k_at = torch.arange(past + t, device=x.device)
        s = s.masked_fill(k_at > q_at, float("-inf"))
        y = torch.einsum("bgrqk,bkgd->bqgrd", s.softmax(-1), all_v)
        return self.o(y.flatten(2)), pieces
