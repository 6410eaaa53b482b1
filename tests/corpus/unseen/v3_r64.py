from __future__ import annotations

import math
from typing import Optional

import torch
from torch import Tensor, nn


class _Inverted(nn.Module):
    """Dropout spelled out: Bernoulli(keep), survivors divided by keep."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0.0 <= rate <= 1.0:
            raise ValueError(rate)
        self.rate = rate

    def forward(self, w: Tensor) -> Tensor:
        if not self.training or self.rate == 0.0:
            return w
        if self.rate == 1.0:
            return w * 0
        keep = 1.0 - self.rate
        coins = torch.empty_like(w).bernoulli_(keep)
        return w * coins.div_(keep)


class _ProjectionsMixin:
    def build(self, d: int) -> None:
        for name in ("Wq", "Wk", "Wv", "Wo"):
            self.register_parameter(name, nn.Parameter(torch.randn(d, d) / math.sqrt(d)))

    @property
    def in_weights(self):
        return self.Wq, self.Wk, self.Wv


class SelfAttentionV3(_ProjectionsMixin, nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.build(hidden_dim)
        self.drop = _Inverted(dropout)
        self.inv_sqrt = 1.0 / math.sqrt(hidden_dim)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        outs = []
        for b, sample in enumerate(x):  # (length, d)
            q, k, v = (sample @ w for w in self.in_weights)
            s = torch.mm(q, k.t()).mul(self.inv_sqrt)
            if attention_mask is not None:
                hidden = attention_mask[b].eq(0)
                penalty = torch.zeros_like(s).masked_fill_(hidden, -math.inf)
                # rows without any key fall back to no restriction, instead of NaN
                penalty = penalty.masked_fill(hidden.all(-1, keepdim=True), 0.0)
                s = s + penalty
            outs.append(self.drop(torch.softmax(s, 1)) @ v @ self.Wo)
        return torch.stack(outs)
