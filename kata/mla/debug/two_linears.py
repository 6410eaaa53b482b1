from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.parts = [latent_dim, rope_dim, num_heads * rope_dim, num_heads * head_dim]
        self.inp = nn.Linear(hidden_dim, sum(self.parts))
        self.up = nn.Linear(latent_dim, 2 * num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def angles(self, start: int, n: int, like: Tensor) -> tuple[Tensor, Tensor]:
        i = torch.arange(self.r // 2, dtype=torch.float64, device=like.device)
        p = torch.arange(start, start + n, dtype=torch.float64, device=like.device)
        a = torch.outer(p, 10000.0 ** (-2 * i / self.r))
        return a.cos().to(like.dtype), a.sin().to(like.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, _ = x.shape
        lat, kr, qr, qc = self.inp(x).split(self.parts, dim=-1)
        start = cache["len"] if cache else 0
        cos, sin = self.angles(start, t, x)
        k1, k2 = kr.chunk(2, -1)
        kr = torch.cat((k1 * cos - k2 * sin, k2 * cos + k1 * sin), -1)
        q1, q2 = qr.view(b, t, self.h, self.r).chunk(2, -1)
        cos, sin = cos[:, None], sin[:, None]
        qr = torch.cat((q1 * cos - q2 * sin, q2 * cos + q1 * sin), -1)
        if cache:
            lat = torch.cat((cache["lat"], lat), 1)
            kr = torch.cat((cache["kr"], kr), 1)
        n = start + t
        v, k = self.up(lat).view(b, n, 2, self.h, self.d).unbind(2)
        q = torch.cat((qc.view(b, t, self.h, self.d), qr), -1)
        k = torch.cat((k, kr[:, :, None].expand(-1, -1, self.h, -1)), -1)
        s = torch.einsum("bihd,bjhd->bhij", q, k) * (self.d + self.r) ** -0.5
        m = (
            torch.arange(n, device=x.device)[None]
            <= torch.arange(start, n, device=x.device)[:, None]
        )
        s = s.masked_fill(~m, float("-inf"))
        y = torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v)
        return self.out(y.flatten(2)), {"lat": lat, "kr": kr, "len": n}
