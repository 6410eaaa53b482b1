from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor, nn


class MaskPolicy(Protocol):
    def apply(self, scores: Tensor, mask: Tensor | None) -> Tensor: ...


class KeepWhereNonZero:
    """1/True keeps a score, 0/False replaces it by the lowest finite number."""

    def apply(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            return scores
        lowest = scores.new_full((), torch.finfo(scores.dtype).min)
        return torch.where(mask.ne(0), scores, lowest)


@dataclass
class AttentionConfig:
    hidden_dim: int
    dropout: float = 0.1
    bias: bool = True
    mask_policy: MaskPolicy = field(default_factory=KeepWhereNonZero)

    def __post_init__(self) -> None:
        if not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"dropout must be in [0, 1): {self.dropout}")


class AttentionCore(nn.Module):
    def __init__(self, config: AttentionConfig) -> None:
        super().__init__()
        self.config = config
        self.weight_dropout = nn.Dropout(p=config.dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        scores = torch.matmul(query, key.transpose(1, 2)).mul(self.config.hidden_dim**-0.5)
        scores = self.config.mask_policy.apply(scores, mask)
        return torch.matmul(self.weight_dropout(scores.softmax(dim=2)), value)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        config = AttentionConfig(hidden_dim=hidden_dim, dropout=dropout)
        self.inputs = nn.ModuleList(
            nn.Linear(hidden_dim, hidden_dim, bias=config.bias) for _ in ("query", "key", "value")
        )
        self.core = AttentionCore(config)
        self.output = nn.Linear(hidden_dim, hidden_dim, bias=config.bias)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = (layer(x) for layer in self.inputs)
        return self.output(self.core(query, key, value, attention_mask))
