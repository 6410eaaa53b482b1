"""Keys are cached as they come, and turned (as complex numbers) when they are read."""
from __future__ import annotations

import torch
from torch import Tensor, nn


def turn(t: Tensor, positions: Tensor, base: float) -> Tensor:
    """t: (batch, length, ..., dim), halves paired; positions: (length,)"""
    half = t.size(-1) // 2
    wide = torch.promote_types(t.dtype, torch.float32)
    speed = torch.exp2(-torch.arange(half, device=t.device, dtype=torch.float64) / half
                       * torch.log2(torch.tensor(float(base), dtype=torch.float64, device=t.device)))
    angle = torch.outer(positions.to(torch.float64), speed)
    angle = angle.view(1, -1, *[1] * (t.dim() - 3), half)
    unit = torch.complex(angle.cos().to(wide), angle.sin().to(wide))
    a, b = t.to(wide).split(half, -1)
    z = torch.complex(a, b) * unit
    return torch.cat((z.real, z.imag), -1).to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.groups, self.per_group, self.base = num_kv_heads, num_heads // num_kv_heads, base
        dim = hidden_dim // num_heads
        self.dim = dim
        self.to_q = nn.Linear(hidden_dim, num_heads * dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * num_kv_heads * dim)
        self.to_out = nn.Linear(num_heads * dim, hidden_dim)

    def forward(self, x: Tensor, cache: dict[str, Tensor] | None = None):
        fresh = self.to_kv(x).unflatten(-1, (2, self.groups, self.dim))
        kv = fresh if cache is None else torch.cat((cache["kv"], fresh), dim=1)
        total, length = kv.size(1), x.size(1)
        where = torch.arange(total, device=x.device)

        q = self.to_q(x).unflatten(-1, (self.groups, self.per_group, self.dim))
        q = turn(q, where[total - length:], self.base)
        k = turn(kv[:, :, 0], where, self.base)
        v = kv[:, :, 1]

        scores = torch.einsum("bqgrd,bkgd->bgrqk", q, k) / self.dim**0.5
        scores = scores.masked_fill(where > where[total - length:, None], float("-inf"))
        mixed = torch.einsum("bgrqk,bkgd->bqgrd", scores.softmax(-1), v)
        return self.to_out(mixed.flatten(2)), {"kv": kv}
