# attn-kata: v3
from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class AttentionConfig:
    hidden_dim: int
    dropout: float = 0.1
    names: tuple = field(default=("query", "key", "value", "output"))

    @property
    def temperature(self) -> float:
        return math.sqrt(self.hidden_dim)


class InvertedDropout(nn.Module):
    def __init__(self, rate: float):
        super().__init__()
        self.rate = rate

    def forward(self, w: Tensor) -> Tensor:
        if not self.training or self.rate == 0:
            return w
        keep = torch.empty_like(w).bernoulli_(1 - self.rate)
        return w * keep / max(1 - self.rate, 1e-12)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1, **extra) -> None:
        super().__init__()
        self.config = AttentionConfig(hidden_dim, dropout, **extra)
        blocks = [(n, nn.Linear(hidden_dim, hidden_dim, bias=False)) for n in self.config.names]
        self.layers = nn.ModuleDict(OrderedDict(blocks))
        self.weight_dropout = InvertedDropout(dropout)

    def __getattr__(self, name: str):
        if name != "layers" and name in ("query", "key", "value", "output"):
            return super().__getattr__("layers")[name]
        return super().__getattr__(name)

    def weights(self, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        raw = torch.einsum("nid,njd->nij", self.query(x), self.key(x)) / self.config.temperature
        if attention_mask is None:
            return raw.softmax(-1)
        # softmax by hand, hidden keys are multiplied away after the exponential
        seen = attention_mask.ne(0)
        top = raw.masked_fill(~seen, torch.finfo(raw.dtype).min).amax(-1, keepdim=True).detach()
        e = (raw - top).masked_fill(~seen, 0).exp() * seen.to(raw.dtype)
        return e / e.sum(-1, keepdim=True).clamp_min(torch.finfo(raw.dtype).tiny)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        w = self.weight_dropout(self.weights(x, attention_mask))
        return self.output(torch.einsum("nij,njd->nid", w, self.value(x)))
