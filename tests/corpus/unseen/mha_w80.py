from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class MHAConfig:
    hidden_dim: int
    num_heads: int
    dropout: float = 0.1

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


class MaskProvider:
    """Turns a keep-mask into the boolean 'blocked' form; conversions are memoised."""

    def __init__(self) -> None:
        self._blocked: dict[tuple, Tensor] = {}

    def blocked(self, mask: Tensor) -> Tensor:
        key = (tuple(mask.shape), mask.dtype, mask.device)
        if key not in self._blocked:
            self._blocked[key] = mask == 0
        return self._blocked[key]


class HeadLayout:
    def __init__(self, config: MHAConfig) -> None:
        self.config = config

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.config.num_heads, self.config.head_dim)).transpose(1, 2)

    def merge(self, t: Tensor) -> Tensor:
        return t.transpose(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim must be divisible by num_heads")
        self.config = MHAConfig(hidden_dim, num_heads, dropout)
        self.layout = HeadLayout(self.config)
        self.masks = MaskProvider()
        self.projections = nn.ModuleDict(
            {name: nn.Linear(hidden_dim, hidden_dim) for name in ("q", "k", "v", "out")}
        )
        self.weight_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (self.layout.split(self.projections[name](x)) for name in ("q", "k", "v"))
        scores = q @ k.transpose(-2, -1) / self.config.head_dim**0.5
        if attention_mask is not None:
            scores = scores.masked_fill(
                self.masks.blocked(attention_mask), torch.finfo(scores.dtype).min
            )
        weights = self.weight_dropout(scores.softmax(dim=-1))
        return self.projections["out"](self.layout.merge(weights @ v))
