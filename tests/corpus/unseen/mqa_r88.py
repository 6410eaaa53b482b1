from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize


class Shared(nn.Module):
    """A (head_dim, width) matrix, shown as num_heads copies of itself one below another."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def forward(self, one: Tensor) -> Tensor:
        return one.repeat(self.times, *[1] * (one.dim() - 1))

    def right_inverse(self, many: Tensor) -> Tensor:
        return many[: many.size(0) // self.times].clone()


class MultiQueryAttention(nn.Module):
    """Plain multi-head attention whose key and value layers happen to have equal rows for all heads."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query, self.key, self.value, self.output = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        for layer in (self.key, self.value):
            for name in ("weight", "bias"):
                parametrize.register_parametrization(layer, name, Shared(num_heads), unsafe=True)

    def heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        s = q @ k.mT / k.size(-1) ** 0.5
        if attention_mask is not None:
            s = torch.where(attention_mask == 0, torch.finfo(s.dtype).min, s)
        return self.output((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
