# attn-kata: gqa-rope
from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Past(NamedTuple):
    keys: Tensor       # not rotated, (batch, length, kv_heads, head_dim)
    values: Tensor

    def __add__(self, new: "Past") -> "Past":
        return Past(*(torch.cat(pair, dim=1) for pair in zip(self, new)))


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self.kv, self.group = num_kv_heads, num_heads // num_kv_heads
        self.dim = hidden_dim // num_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.dim)
        self.wkv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.dim)
        self.wo = nn.Linear(num_heads * self.dim, hidden_dim)

    def phases(self, length: int, device: torch.device) -> Tensor:
        pair = torch.arange(self.dim // 2, device=device, dtype=torch.float32)
        theta = self.base ** (-2.0 * pair / self.dim)
        angle = torch.outer(torch.arange(length, device=device, dtype=torch.float32), theta)
        return torch.polar(torch.ones_like(angle), angle)

    @staticmethod
    def turn(t: Tensor, phase: Tensor) -> Tensor:
        """t: (..., length, dim); pairs are (i, i + dim/2)."""
        wide = t if t.dtype == torch.float64 else t.float()
        z = torch.complex(*wide.chunk(2, dim=-1)) * phase
        return torch.cat((z.real, z.imag), dim=-1).to(t.dtype)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        b, t, _ = x.shape
        k, v = self.wkv(x).view(b, t, 2, self.kv, self.dim).unbind(2)
        past = Past(k, v) if cache is None else cache + Past(k, v)
        n = past.keys.size(1)
        phase = self.phases(n, x.device)

        q = self.wq(x).view(b, t, self.kv, self.group, self.dim).permute(0, 2, 3, 1, 4)
        q = self.turn(q, phase[n - t:])
        keys = self.turn(past.keys.transpose(1, 2), phase).unsqueeze(2)
        values = past.values.transpose(1, 2).unsqueeze(2)
        s = q @ keys.mT / self.dim ** 0.5
        seen = torch.ones(t, n, dtype=torch.bool, device=x.device).tril(n - t)
        s = s.masked_fill(~seen, float("-inf"))
        o = (s.softmax(dim=-1) @ values).permute(0, 3, 1, 2, 4).reshape(b, t, -1)
        return self.wo(o), past
