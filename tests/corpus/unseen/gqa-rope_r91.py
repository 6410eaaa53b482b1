from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Past(NamedTuple):
    key: Tensor  # rotated, (batch, kv heads, positions, head_dim)
    value: Tensor


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.kv_heads = num_kv_heads
        self.shared = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = float(base)
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _phases(self, start: int, stop: int, device: torch.device) -> Tensor:
        half = self.head_dim // 2
        pair = torch.arange(half, dtype=torch.float64, device=device)
        place = torch.arange(start, stop, dtype=torch.float64, device=device)
        angle = torch.outer(place, self.base ** (-pair / half))
        return torch.polar(torch.ones_like(angle), angle)

    @staticmethod
    def _turn(t: Tensor, phases: Tensor) -> Tensor:
        wide = t.to(torch.promote_types(t.dtype, torch.float32))
        z = torch.complex(*(part.contiguous() for part in wide.chunk(2, dim=-1)))
        z = z * phases.to(z.dtype)
        return torch.cat((z.real, z.imag), dim=-1).to(t.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        new = x.shape[1]
        old = 0 if cache is None else cache.key.shape[2]
        q = self.wq(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        k, v = self.wkv(x).unflatten(-1, (2, self.kv_heads, self.head_dim)).permute(2, 0, 3, 1, 4).unbind(0)
        phases = self._phases(old, old + new, x.device)
        q, k = self._turn(q, phases), self._turn(k, phases)
        if cache is not None:
            k, v = torch.cat((cache.key, k), 2), torch.cat((cache.value, v), 2)
        q = q.unflatten(1, (self.kv_heads, self.shared))
        scores = q @ k.unsqueeze(2).mT / self.head_dim**0.5
        later = torch.ones(new, old + new, dtype=torch.bool, device=x.device).triu(old + 1)
        weights = scores.masked_fill(later, -torch.inf).softmax(-1)
        heads = (weights @ v.unsqueeze(2)).flatten(1, 2)
        return self.wo(heads.transpose(1, 2).flatten(2)), Past(k, v)
