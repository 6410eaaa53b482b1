from typing import NamedTuple

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    # keys are kept as they were projected; they are turned when they are read
    k: Tensor
    v: Tensor


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nq, self.nkv, self.hd, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.wq = nn.Linear(hidden_dim, self.nq * self.hd, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * self.nkv * self.hd, bias=False)
        self.wo = nn.Linear(self.nq * self.hd, hidden_dim, bias=False)

    def turn(self, t, positions):
        # (b, n, h, d)
        half = self.hd // 2
        freq = float(self.base) ** (-torch.arange(half, device=t.device, dtype=torch.float64) / half)
        angle = torch.outer(positions.double(), freq)[:, None]
        c, s = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat([a * c - b * s, b * c + a * s], -1)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.wq(x).view(b, n, self.nq, self.hd)
        k, v = self.wkv(x).view(b, n, 2, self.nkv, self.hd).unbind(2)
        if cache is not None:
            k, v = torch.cat([cache.k, k], 1), torch.cat([cache.v, v], 1)
        new = KV(k, v)
        pos = torch.arange(k.shape[1], device=x.device)
        q, k = self.turn(q, pos[-n:]), self.turn(k, pos)
        q = q.view(b, n, self.nkv, -1, self.hd)
        s = torch.einsum("bikgd,bjkd->bkgij", q, k) * self.hd ** -0.5
        s = s.masked_fill(pos > pos[-n:, None], float("-inf"))
        y = torch.einsum("bkgij,bjkd->bikgd", s.softmax(-1), v)
        return self.wo(y.flatten(2)), new
