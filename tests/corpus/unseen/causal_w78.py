from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class CausalConfig:
    hidden_dim: int
    num_heads: int
    block_size: int

    def __post_init__(self) -> None:
        if self.hidden_dim % self.num_heads != 0:
            raise ValueError("hidden_dim must be divisible by num_heads")

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


class CausalMask(nn.Module):
    """Provides the (length, length) look-back mask; allocated lazily to keep start-up cheap."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("_allowed", None, persistent=False)

    def forward(self, scores: Tensor) -> Tensor:
        length = scores.size(-1)
        if self._allowed is None:
            self._allowed = torch.ones(
                length, length, dtype=torch.bool, device=scores.device
            ).tril()
        allowed = self._allowed[:length, :length]
        return scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.config = CausalConfig(hidden_dim, num_heads, block_size)
        self.mask = CausalMask()
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        if length > self.config.block_size:
            raise ValueError("sequence is longer than block_size")
        heads = (3, self.config.num_heads, self.config.head_dim)
        q, k, v = self.in_proj(x).unflatten(-1, heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = self.mask(q @ k.mT / self.config.head_dim**0.5)
        context = scores.softmax(-1) @ v
        return self.out_proj(context.transpose(1, 2).reshape(batch, length, width))
