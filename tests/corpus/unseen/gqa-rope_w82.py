from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.hq, self.hkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.hd, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.hd, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.hd, bias=False)
        self.wo = nn.Linear(num_heads * self.hd, hidden_dim, bias=False)
        self._table: tuple[Tensor, Tensor] | None = None

    def _rotary(self, end: int, like: Tensor) -> tuple[Tensor, Tensor]:
        if self._table is None or self._table[0].shape[0] < end:
            rows = max(64, 2 * end)
            i = torch.arange(self.hd // 2, device=like.device, dtype=torch.float64)
            angle = torch.arange(rows, device=like.device)[:, None] * self.base ** (-2 * i / self.hd)
            angle = torch.cat([angle, angle], dim=-1)
            self._table = angle.cos().to(like.dtype), angle.sin().to(like.dtype)
        cos, sin = self._table
        return cos.to(like), sin.to(like)

    @staticmethod
    def _rotate(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = t.chunk(2, dim=-1)
        return t * cos + torch.cat([-b, a], dim=-1) * sin

    def forward(self, x: Tensor, cache=None):
        b, n, _ = x.shape
        past = 0 if cache is None else cache[0].shape[2]
        q = self.wq(x).view(b, n, self.hq, self.hd).transpose(1, 2)
        k = self.wk(x).view(b, n, self.hkv, self.hd).transpose(1, 2)
        v = self.wv(x).view(b, n, self.hkv, self.hd).transpose(1, 2)
        cos, sin = self._rotary(past + n, x)
        cos, sin = cos[past : past + n], sin[past : past + n]
        q, k = self._rotate(q, cos, sin), self._rotate(k, cos, sin)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        rep = self.hq // self.hkv
        kk, vv = k.repeat_interleave(rep, 1), v.repeat_interleave(rep, 1)
        scores = q @ kk.mT / self.hd**0.5
        seen = torch.ones(n, past + n, dtype=torch.bool, device=x.device).tril(past)
        weights = scores.masked_fill(~seen, float("-inf")).softmax(-1)
        return self.wo((weights @ vv).transpose(1, 2).reshape(b, n, -1)), (k, v)
