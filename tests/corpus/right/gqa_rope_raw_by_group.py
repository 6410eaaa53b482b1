# right: gqa-rope
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.r = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.base = float(base)
        self.wqkv = nn.Parameter(
            torch.randn(hidden_dim, num_kv_heads, self.r + 2, self.d) * hidden_dim**-0.5
        )
        self.wo = nn.Parameter(torch.randn(num_heads, self.d, hidden_dim) * hidden_dim**-0.5)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        r, d = self.r, self.d
        p0 = cache.shape[3] if cache is not None else 0
        h = torch.einsum("btc,cgsd->bgstd", x, self.wqkv)
        i = torch.arange(d // 2, device=x.device, dtype=torch.float64)
        p = torch.arange(p0, p0 + x.shape[1], device=x.device, dtype=torch.float64)
        ang = p[:, None] * self.base ** (-2 * i / d)
        c, s = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        a, b = h[:, :, : r + 1].chunk(2, -1)  # queries and the key turn in one go
        qk = torch.cat([a * c - b * s, b * c + a * s], -1)
        q, kv = qk[:, :, :r], torch.stack([qk[:, :, r], h[:, :, r + 1]], 2)
        if cache is not None:
            kv = torch.cat([cache, kv], 3)
        k, v = kv.unbind(2)
        att = torch.einsum("bgrtd,bgsd->bgrts", q, k) * d**-0.5
        s_pos = torch.arange(k.shape[2], device=x.device)
        att = att.masked_fill(s_pos > p[:, None].long(), float("-inf")).softmax(-1)
        y = torch.einsum("bgrts,bgsd->bgrtd", att, v).flatten(1, 2)
        return torch.einsum("bhtd,hdc->btc", y, self.wo), kv
