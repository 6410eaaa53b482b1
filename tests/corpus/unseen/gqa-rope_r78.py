"""Llama attention by someone who thinks in objects."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Past:
    keys: tuple[Tensor, ...] = ()       # one tensor (B, S, d) for each kv head
    values: tuple[Tensor, ...] = ()
    seen: int = 0

    def and_then(self, keys: list[Tensor], values: list[Tensor]) -> Self:
        glue = lambda old, new: tuple(  # noqa: E731
            torch.cat(p, dim=-2) for p in zip(old, new)) if self.seen else tuple(new)
        return replace(self, keys=glue(self.keys, keys), values=glue(self.values, values),
                       seen=self.seen + keys[0].shape[-2])


class Rotor:
    """x cos + roll(x) sin, where rolling by half a head brings every entry its partner."""

    def __init__(self, d: int, base: float, start: int, count: int, like: Tensor) -> None:
        i = torch.arange(d, device=like.device)
        speed = torch.exp(-(2 * (i % (d // 2)) / d) * torch.log(torch.tensor(float(base))).to(like.device))
        angle = torch.arange(start, start + count, device=like.device).float()[:, None] * speed
        sign = torch.where(i < d // 2, -1.0, 1.0)
        self.cos, self.sin = angle.cos().to(like.dtype), (angle.sin() * sign).to(like.dtype)

    def __matmul__(self, x: Tensor) -> Tensor:
        return x * self.cos + x.roll(x.shape[-1] // 2, -1) * self.sin


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        assert not hidden_dim % num_heads and not num_heads % num_kv_heads
        self.d, self.share, self.base = hidden_dim // num_heads, num_heads // num_kv_heads, base
        narrow = lambda n: nn.ModuleList(  # noqa: E731
            nn.Linear(hidden_dim, self.d, bias=False) for _ in range(n))
        self.q, self.k, self.v = narrow(num_heads), narrow(num_kv_heads), narrow(num_kv_heads)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Past | None = None) -> tuple[Tensor, Past]:
        past = cache if cache is not None else Past()
        rotor = Rotor(self.d, self.base, past.seen, x.shape[1], x)
        now = past.and_then([rotor @ k(x) for k in self.k], [v(x) for v in self.v])
        later = torch.arange(now.seen, device=x.device) > torch.arange(
            past.seen, now.seen, device=x.device).unsqueeze(-1)
        out = []
        for h, q in enumerate(self.q):
            g = h // self.share
            s = (rotor @ q(x)) @ now.keys[g].mT * self.d**-0.5
            out.append(s.masked_fill(later, float("-inf")).softmax(-1) @ now.values[g])
        return self.o(torch.cat(out, -1)), now
