# attn-kata: v3
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DropWeights(nn.Module):
    """Srivastava et al. 2014: each unit is kept with probability 1 - p in training."""

    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, w: Tensor) -> Tensor:
        if self.training and self.p > 0:
            r = torch.rand_like(w) >= self.p
            return w * r
        return w


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.empty(4, hidden_dim, hidden_dim))
        self.drop = DropWeights(dropout)
        for w in self.W:
            nn.init.xavier_uniform_(w)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        Wq, Wk, Wv, Wo = self.W
        Q, K, V = x @ Wq, x @ Wk, x @ Wv
        S = Q @ K.mT / math.sqrt(Q.shape[-1])
        if attention_mask is not None:
            S = torch.where(attention_mask != 0, S, torch.finfo(S.dtype).min)
        P = self.drop(S.softmax(dim=-1))
        return P @ V @ Wo
