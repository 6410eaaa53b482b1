from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class AttentionConfig:
    hidden_dim: int
    dropout: float = 0.1
    bias: bool = True

    def __post_init__(self) -> None:
        assert self.hidden_dim >= 1, "hidden_dim must be positive"
        assert 0.0 <= self.dropout < 1.0, "dropout is a probability"


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.config: AttentionConfig = AttentionConfig(hidden_dim, dropout)
        c = self.config
        self.query: nn.Linear = nn.Linear(c.hidden_dim, c.hidden_dim, bias=c.bias)
        self.key: nn.Linear = nn.Linear(c.hidden_dim, c.hidden_dim, bias=c.bias)
        self.value: nn.Linear = nn.Linear(c.hidden_dim, c.hidden_dim, bias=c.bias)
        self.out: nn.Linear = nn.Linear(c.hidden_dim, c.hidden_dim, bias=c.bias)

    def attention_weights(self, q: Tensor, k: Tensor, mask: Optional[Tensor]) -> Tensor:
        assert q.shape == k.shape
        scores: Tensor = q @ k.transpose(-2, -1) / math.sqrt(self.config.hidden_dim)
        if mask is not None:
            assert mask.shape == scores.shape, (mask.shape, scores.shape)
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        weights: Tensor = F.softmax(scores, dim=-1)
        return F.dropout(weights, p=self.config.dropout)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        assert x.dim() == 3
        assert x.size(-1) == self.config.hidden_dim
        weights: Tensor = self.attention_weights(self.query(x), self.key(x), attention_mask)
        context: Tensor = weights @ self.value(x)
        result: Tensor = self.out(context)
        assert result.shape == x.shape
        return result
