from __future__ import annotations

import torch
from torch import Tensor, nn


class KVStore:
    def __init__(self) -> None:
        self.k: Tensor | None = None
        self.v: Tensor | None = None

    def __len__(self) -> int:
        return 0 if self.k is None else self.k.shape[2]

    def update(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.k = k if self.k is None else torch.cat([self.k, k], 2)
        self.v = v if self.v is None else torch.cat([self.v, v], 2)
        return self.k, self.v


def apply_rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.float().chunk(2, -1) if x.dtype in (torch.half, torch.bfloat16) else x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        self.nq, self.nkv, self.base = num_heads, num_kv_heads, base
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, self.nq * self.d)
        self.wkv = nn.Linear(hidden_dim, 2 * self.nkv * self.d)
        self.wo = nn.Linear(self.nq * self.d, hidden_dim)

    def angles(self, start: int, stop: int, device: torch.device) -> tuple[Tensor, Tensor]:
        freq = self.base ** (-torch.arange(self.d // 2, dtype=torch.float64, device=device) * 2 / self.d)
        angle = torch.arange(start, stop, device=device)[:, None] * freq
        return angle.cos(), angle.sin()

    def forward(self, x: Tensor, cache: KVStore | None = None) -> tuple[Tensor, KVStore]:
        b, n, _ = x.shape
        cache = KVStore() if cache is None else cache
        start = len(cache)
        cos, sin = (t.to(torch.promote_types(x.dtype, torch.float32)) for t in self.angles(start, start + n, x.device))
        q = self.wq(x).view(b, n, self.nq, self.d).transpose(1, 2)
        k, v = self.wkv(x).view(b, n, 2 * self.nkv, self.d).transpose(1, 2).chunk(2, 1)
        q = apply_rope(q, cos, sin)
        k, v = cache.update(apply_rope(k, cos, sin), v)

        q = q.unflatten(1, (self.nkv, -1))
        scores = q @ k[:, :, None].mT * self.d**-0.5
        hidden = torch.arange(start + n, device=x.device) > torch.arange(start, start + n, device=x.device)[:, None]
        weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(-1)
        out = (weights @ v[:, :, None]).flatten(1, 2)
        return self.wo(out.transpose(1, 2).flatten(2)), cache
