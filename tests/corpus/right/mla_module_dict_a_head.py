# right: mla
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.d, self.r = head_dim, rope_dim
        self.one = nn.ModuleDict(
            {
                "where": nn.Linear(hidden_dim, rope_dim, bias=False),
                "what": nn.Linear(hidden_dim, latent_dim),
            }
        )
        self.each = nn.ModuleList(
            nn.ModuleDict(
                {
                    "back": nn.Linear(head_dim, hidden_dim, bias=False),
                    "made": nn.Linear(latent_dim, 2 * head_dim, bias=False),
                    "ask": nn.Linear(hidden_dim, head_dim + rope_dim),
                }
            )
            for _ in range(num_heads)
        )

    def turn(self, z: Tensor, start: int) -> Tensor:
        half = self.r // 2
        f = torch.tensor([10000 ** (-2 * i / self.r) for i in range(half)],
                         dtype=torch.float64, device=z.device)
        ang = torch.arange(start, start + z.shape[1], device=z.device)[:, None] * f
        c, s = ang.cos().to(z.dtype), ang.sin().to(z.dtype)
        a, b = z[..., :half], z[..., half:]
        return torch.cat([a * c - b * s, b * c + a * s], -1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        t = x.shape[1]
        past = 0 if cache is None else cache[0].size(1)
        what, where = self.one["what"](x), self.turn(self.one["where"](x), past)
        if cache is not None:
            what, where = torch.cat([cache[0], what], 1), torch.cat([cache[1], where], 1)
        ban = torch.ones(t, past + t, dtype=torch.bool, device=x.device).triu(past + 1)
        out = 0
        for m in self.each:
            q = m["ask"](x)
            k, v = m["made"](what).chunk(2, -1)
            s = q[..., : self.d] @ k.transpose(1, 2)
            s = s + self.turn(q[..., self.d :], past) @ where.transpose(1, 2)
            s = (s / math.sqrt(self.d + self.r)).masked_fill(ban, -torch.inf)
            out = out + m["back"](s.softmax(-1) @ v)
        return out, (what, where)
