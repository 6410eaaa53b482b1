"""Multi-head attention, organised the way our platform team likes it."""
from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

log = logging.getLogger(__name__)
S = TypeVar("S", bound="Scorer")


class Scorer(Protocol):
    def __call__(self, receiver: Tensor, sender: Tensor) -> Tensor: ...


class ScaledDot(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.temperature = width**0.5

    def forward(self, receiver: Tensor, sender: Tensor) -> Tensor:
        return receiver.div(self.temperature).bmm(sender.mT)


class Reader(nn.Module):
    """Holds what one head needs to ask."""

    def __init__(self, wide: int, narrow: int) -> None:
        super().__init__()
        self.asks = nn.Linear(wide, narrow)
        self.offers = nn.Linear(wide, narrow)
        self.tells = nn.Linear(wide, narrow)


class SingleHead(nn.Module, Generic[S]):
    def __init__(self, wide: int, narrow: int, rate: float, scorer: S) -> None:
        super().__init__()
        self.reader = Reader(wide, narrow)
        self.scorer = scorer
        self.thin_out = nn.Dropout(rate)
        self.writer = nn.Linear(narrow, wide, bias=False)

    def forward(self, x: Tensor, visible: Tensor | None) -> Tensor:
        s = self.scorer(self.reader.asks(x), self.reader.offers(x))
        if visible is not None:
            s = s.masked_fill(visible == 0, torch.finfo(s.dtype).min)
        return self.writer(self.thin_out(s.softmax(-1)).bmm(self.reader.tells(x)))


class AbstractAttention(nn.Module, ABC):
    @abstractmethod
    def heads(self) -> list[SingleHead]: ...

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        team = self.heads()
        b, n, _ = x.shape
        if attention_mask is not None:
            attention_mask = attention_mask.expand(b, len(team), n, n)
            log.debug("mask of %s", attention_mask.dtype)
        total: Tensor | float = 0.0
        for i, head in enumerate(team):
            total = total + head(x, None if attention_mask is None else attention_mask[:, i])
        return total + self.offset


class MultiHeadAttention(AbstractAttention):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        narrow = hidden_dim // num_heads
        for i in range(num_heads):
            self.add_module(f"head_{i}", SingleHead(hidden_dim, narrow, dropout, ScaledDot(narrow)))
        self.offset = nn.Parameter(torch.zeros(hidden_dim))

    def heads(self) -> list[SingleHead]:
        # [ h_1 | h_2 | ... ] Wo is the sum of h_i Wo_i, so each head owns its rows of Wo
        return [m for m in self.children() if isinstance(m, SingleHead)]
