# attn-kata: v3
from __future__ import annotations

import torch
from torch import Tensor, nn


class ScoredPairs(nn.Module):
    """query x key, scaled, with the hidden pairs pushed to the bottom"""

    def __init__(self, width: int):
        super().__init__()
        self.left = nn.Linear(width, width)
        self.right = nn.Linear(width, width)
        self.scale = width ** -0.5

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        s = self.left(x) @ self.right(x).transpose(-2, -1) * self.scale
        if mask is not None:
            s = s.masked_fill(mask == 0, torch.finfo(s.dtype).min)
        return s


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.pairs = ScoredPairs(hidden_dim)
        self.to_weights = nn.Sequential(nn.Softmax(), nn.Dropout(dropout))
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        weights = self.to_weights(self.pairs(x, attention_mask))
        return self.output(weights @ self.value(x))
