from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def weights(self, scores: Tensor) -> Tensor:
        peak = scores.amax(dim=-1, keepdim=True)
        terms = self.drop(torch.exp(scores - peak))
        return terms / terms.sum(dim=-1, keepdim=True).clamp(min=1e-6)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query, key, value = self.qkv(x).split(x.shape[-1], dim=-1)
        scores = query @ key.mT / math.sqrt(x.shape[-1])
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        return self.out(self.weights(scores) @ value)
