from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class RawCache:
    """Keys as they were projected: they are rotated when they are read."""

    keys: Tensor
    values: Tensor

    @property
    def length(self) -> int:
        return self.keys.shape[1]

    def followed_by(self, keys: Tensor, values: Tensor) -> "RawCache":
        return RawCache(torch.cat((self.keys, keys), dim=1), torch.cat((self.values, values), dim=1))


class Turner:
    """Each pair as one complex number, times e^(i * angle)."""

    def __init__(self, head_dim: int, base: float) -> None:
        self.half, self.base = head_dim // 2, base

    def __call__(self, x: Tensor, first: int) -> Tensor:
        # x: (batch, length, heads, head_dim)
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        pairs = torch.complex(wide[..., : self.half].contiguous(), wide[..., self.half :].contiguous())
        exponents = torch.arange(self.half, device=x.device, dtype=torch.float64) / self.half
        positions = torch.arange(first, first + x.shape[1], device=x.device, dtype=torch.float64)
        angles = torch.outer(positions, self.base**-exponents)[:, None]
        turned = pairs * torch.polar(torch.ones_like(angles), angles).to(pairs.dtype)
        return torch.cat((turned.real, turned.imag), dim=-1).to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.rotate = Turner(self.head_dim, base)
        widths = [num_heads * self.head_dim] + 2 * [num_kv_heads * self.head_dim]
        self.projections = nn.ModuleList(nn.Linear(hidden_dim, width, bias=False) for width in widths)
        self.output = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Optional[RawCache] = None) -> tuple[Tensor, Any]:
        q, k, v = (layer(x).unflatten(-1, (-1, self.head_dim)) for layer in self.projections)
        first = 0 if cache is None else cache.length
        cache = RawCache(k, v) if cache is None else cache.followed_by(k, v)

        q = self.rotate(q, first).unflatten(2, (self.num_kv_heads, -1))
        k = self.rotate(cache.keys, 0)
        scores = torch.einsum("bqgrd,bkgd->bgrqk", q, k) / self.head_dim**0.5
        own = torch.arange(first, cache.length, device=x.device).unsqueeze(-1)
        scores = scores.masked_fill(torch.arange(cache.length, device=x.device) > own, -torch.inf)
        context = torch.einsum("bgrqk,bkgd->bqgrd", scores.softmax(dim=-1), cache.values)
        return self.output(context.flatten(2)), cache
