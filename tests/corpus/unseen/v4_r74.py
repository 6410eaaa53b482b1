from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class AttentionConfig:
    hidden_dim: int
    dropout: float = 0.1
    bias: bool = True
    scale: float = field(init=False)

    def __post_init__(self) -> None:
        self.scale = self.hidden_dim**-0.5


class AttentionBase(nn.Module):
    def __init__(self, config: AttentionConfig) -> None:
        super().__init__()
        self.config = config
        self.projections = nn.Linear(config.hidden_dim, 3 * config.hidden_dim, bias=config.bias)
        self.regulariser = nn.Dropout(config.dropout)

    def mask_scores(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        value, key, query = self.projections(x).tensor_split(3, dim=-1)
        scores = self.mask_scores(query @ (key * self.config.scale).adjoint(), mask)
        return self.regulariser(nn.functional.softmax(scores, dim=-1)) @ value


class MaskedAttention(AttentionBase):
    def mask_scores(self, scores, mask):
        if mask is None:
            return scores
        return scores.masked_fill(torch.as_tensor(mask).to(scores.device) == 0, torch.finfo(scores.dtype).min)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MaskedAttention(AttentionConfig(hidden_dim, dropout=dropout))
        self.merge = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.merge(self.attention(x, attention_mask))
