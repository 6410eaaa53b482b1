# right: mha remarks: nan-on-empty-row
from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass(frozen=True)
class AttentionConfig:
    hidden_dim: int = 64
    num_heads: int = 8
    dropout: float = 0.1

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


class MultiHeadAttention(nn.Module):
    def __init__(self, config: AttentionConfig) -> None:
        super().__init__()
        self.config = config
        self.proj = nn.ModuleDict({n: nn.Linear(config.hidden_dim, config.hidden_dim) for n in ("q", "k", "v", "o")})
        self.drop = nn.Dropout(config.dropout)

    def heads(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return self.proj[name](x).unflatten(-1, (self.config.num_heads, -1)).movedim(2, 1)

    def forward(self, x: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        q, k, v = (self.heads(n, x) for n in "qkv")
        scores = q @ k.mT * self.config.head_dim**-0.5
        if attention_mask is not None:
            scores = torch.where(attention_mask > 0, scores, -torch.inf)
        mixed = self.drop(scores.softmax(-1)) @ v
        return self.proj["o"](mixed.movedim(1, 2).flatten(2))
