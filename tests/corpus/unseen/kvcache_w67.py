from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class KVState:
    """Plain struct handed between calls."""

    __slots__ = ("keys", "values")

    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    @property
    def size(self) -> int:
        return 0 if self.keys is None else self.keys.size(2)

    def push_back(self, k: Tensor, v: Tensor) -> None:
        if self.keys is None:
            self.keys, self.values = k, v
        else:
            self.keys = torch.cat([self.keys, k], 2)
            self.values = torch.cat([self.values, v], 2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.nh = num_heads
        self.hd = hidden_dim // num_heads
        self.proj = nn.ModuleDict(
            {c: nn.Linear(hidden_dim, hidden_dim, bias=False) for c in ("q", "k", "v", "o")}
        )

    def heads(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        return t.reshape(b, n, self.nh, self.hd).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, cache: KVState | None = None) -> tuple[Tensor, KVState]:
        b, n, d = x.shape
        q, k, v = (self.heads(self.proj[c](x)) for c in "qkv")

        state = cache if cache is not None else KVState()
        offset = state.size
        state.push_back(k, v)

        s = torch.matmul(q, state.keys.transpose(2, 3)) / math.sqrt(self.hd)
        for i in range(n):
            s[:, :, i, offset + i + 1 :] = -math.inf
        ctx = torch.matmul(torch.softmax(s, 3), state.values)
        out = self.proj["o"](ctx.permute(0, 2, 1, 3).reshape(b, n, d))
        return out, state
