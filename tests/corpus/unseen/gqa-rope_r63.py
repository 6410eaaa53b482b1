"""Llama attention with the rotation as a product of complex numbers (paired by halves)."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor, nn


class Past(NamedTuple):
    """Keys are kept as they were before rotation."""

    keys: Tensor  # (batch, kv_heads, seen, head_dim)
    values: Tensor


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.h, self.kv, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        assert self.d % 2 == 0
        self.base: float = float(base)
        self.wqkv: nn.Linear = nn.Linear(hidden_dim, (self.h + 2 * self.kv) * self.d, bias=False)
        self.wo: nn.Linear = nn.Linear(self.h * self.d, hidden_dim, bias=False)

    def rotate(self, t: Tensor, start: int) -> Tensor:
        wide: torch.dtype = torch.promote_types(t.dtype, torch.float32)
        i: Tensor = torch.arange(self.d // 2, device=t.device, dtype=torch.float64)
        p: Tensor = torch.arange(start, start + t.shape[2], device=t.device, dtype=torch.float64)
        angle: Tensor = torch.outer(p, self.base ** (-2 * i / self.d)).to(wide)
        turn: Tensor = torch.polar(torch.ones_like(angle), angle)
        real, imag = t.to(wide).chunk(2, dim=-1)
        turned: Tensor = torch.complex(real, imag) * turn
        return torch.cat((turned.real, turned.imag), dim=-1).to(t.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        past: Optional[Past] = cache
        b, t, _ = x.shape
        slots: Tensor = self.wqkv(x).view(b, t, self.h + 2 * self.kv, self.d).transpose(1, 2)
        q, k, v = slots.split((self.h, self.kv, self.kv), dim=1)
        seen: int = 0
        if past is not None:
            seen = past.keys.shape[2]
            k = torch.cat((past.keys, k), dim=2)
            v = torch.cat((past.values, v), dim=2)
        now = Past(k, v)
        assert k.shape == (b, self.kv, seen + t, self.d)

        q, k = self.rotate(q, seen), self.rotate(k, 0)
        k = k.repeat_interleave(self.h // self.kv, dim=1)
        v = v.repeat_interleave(self.h // self.kv, dim=1)
        scores: Tensor = q @ k.mT * self.d**-0.5
        later: Tensor = torch.ones(t, seen + t, dtype=torch.bool, device=x.device).triu(seen + 1)
        weights: Tensor = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
        return self.wo((weights @ v).transpose(1, 2).reshape(b, t, -1)), now
