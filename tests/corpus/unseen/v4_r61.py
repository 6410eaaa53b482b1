# attn-kata: v4
from __future__ import annotations

import dataclasses
import math

import torch
from torch import Tensor, nn


@dataclasses.dataclass(frozen=True)
class Settings:
    dim: int
    drop_rate: float = 0.1
    use_bias: bool = True

    @property
    def inv_temperature(self) -> float:
        return 1.0 / math.sqrt(self.dim)

    def linear(self) -> nn.Linear:
        return nn.Linear(self.dim, self.dim, bias=self.use_bias)


def additive(mask: Tensor | None, like: Tensor) -> Tensor:
    """0 where attention is allowed, the most negative number where it is not."""
    if mask is None:
        return like.new_zeros(1, 1, 1)
    zeros = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
    return zeros.masked_fill(mask.eq(0), torch.finfo(like.dtype).min)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.cfg = Settings(hidden_dim, dropout)
        self.proj = nn.ModuleDict({role: self.cfg.linear() for role in ("q", "k", "v")})
        self.drop = nn.Dropout(self.cfg.drop_rate)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        h = {role: layer(x) for role, layer in self.proj.items()}     # each (B, T, D)
        # mask + (q k^T) / sqrt(D) in one call                         (B, T, T)
        scores = torch.baddbmm(
            additive(attention_mask, x), h["q"], h["k"].transpose(1, 2), alpha=self.cfg.inv_temperature
        )
        weights = scores.log_softmax(-1).exp()
        return torch.bmm(self.drop(weights), h["v"])
