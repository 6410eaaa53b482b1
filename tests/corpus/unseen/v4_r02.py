# attn-kata: v4
from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Dense = partial(nn.Linear, bias=True)


@dataclass(frozen=True)
class Settings:
    features: int
    rate: float

    @property
    def temperature(self) -> float:
        return self.features ** 0.5


def logits_fn(q: Tensor, k: Tensor, temperature: float) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", q / temperature, k)


def bias_fn(mask: Tensor | None, like: Tensor) -> Tensor:
    if mask is None:
        return torch.zeros_like(like)
    zero = torch.zeros_like(like)
    return torch.where(mask != 0, zero, torch.full_like(like, float("-inf")))


def weights_fn(logits: Tensor) -> Tensor:
    return torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.cfg = Settings(features=hidden_dim, rate=dropout)
        self.query, self.key, self.value, self.out = (Dense(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        logits = logits_fn(self.query(x), self.key(x), self.cfg.temperature)
        logits = logits + bias_fn(attention_mask, logits)
        w = F.dropout(weights_fn(logits), p=self.cfg.rate, training=self.training)
        return self.out(torch.einsum("...qk,...kd->...qd", w, self.value(x)))
