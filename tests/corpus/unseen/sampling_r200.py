# attn-kata: sampling
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


class LogitsProcessor(ABC):
    """Rewrites (batch, vocab) logits; never in place. `tokens` is what each row has so far."""

    @property
    def is_identity(self) -> bool:
        return False

    @abstractmethod
    def __call__(self, tokens: Tensor | None, logits: Tensor) -> Tensor: ...


class LogitsFilter(LogitsProcessor):
    """A processor that only hides tokens."""

    @abstractmethod
    def keeps(self, logits: Tensor) -> Tensor:
        """True where a token stays."""

    def __call__(self, tokens: Tensor | None, logits: Tensor) -> Tensor:
        return torch.where(self.keeps(logits), logits, -torch.inf)


@dataclass(frozen=True)
class RepetitionPenalty(LogitsProcessor):
    penalty: float

    def __call__(self, tokens: Tensor | None, logits: Tensor) -> Tensor:
        assert tokens is not None
        seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
        punished = torch.where(logits > 0, logits / self.penalty, logits * self.penalty)
        return torch.where(seen, punished, logits)


@dataclass(frozen=True)
class Temperature(LogitsProcessor):
    temperature: float

    def __call__(self, tokens: Tensor | None, logits: Tensor) -> Tensor:
        return logits / self.temperature


@dataclass(frozen=True)
class TopK(LogitsFilter):
    k: int

    @property
    def is_identity(self) -> bool:
        return self.k == 0

    def keeps(self, logits: Tensor) -> Tensor:
        return logits >= logits.topk(self.k, dim=-1).values[:, -1:]


@dataclass(frozen=True)
class TopP(LogitsFilter):
    p: float

    @property
    def is_identity(self) -> bool:
        return self.p >= 1.0

    def keeps(self, logits: Tensor) -> Tensor:
        if self.is_identity:
            return torch.ones_like(logits, dtype=torch.bool)
        order = logits.argsort(dim=-1, descending=True)
        probs = logits.softmax(-1).gather(-1, order)
        # what the likelier tokens have together: while that is short of p, one more is needed
        before = probs.cumsum(-1).roll(1, dims=-1)
        before[:, 0] = 0.0
        return torch.empty_like(before, dtype=torch.bool).scatter(-1, order, before < self.p)


@dataclass(frozen=True)
class MinP(LogitsFilter):
    p: float

    @property
    def is_identity(self) -> bool:
        return self.p == 0.0

    def keeps(self, logits: Tensor) -> Tensor:
        probs = logits.softmax(-1)
        return probs >= self.p * probs.amax(-1, keepdim=True)


class Pipeline(tuple[LogitsProcessor, ...]):
    def active(self) -> Iterator[LogitsProcessor]:
        return (step for step in self if not step.is_identity)

    def __call__(self, tokens: Tensor, logits: Tensor) -> Tensor:
        for step in self.active():
            logits = step(tokens, logits)
        return logits


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    return RepetitionPenalty(penalty)(tokens, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return TopK(k)(None, logits)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    return TopP(p)(None, logits)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    return MinP(p)(None, logits)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    pipeline = Pipeline(
        (RepetitionPenalty(penalty), Temperature(temperature), TopK(top_k), TopP(top_p), MinP(min_p))
    )
    return pipeline(tokens, logits).softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    passed = probs.cumsum(dim=-1) <= uniform.unsqueeze(-1)
    # a running sum may end a rounding error short of 1: the last token with a share then
    index = torch.arange(probs.size(-1), device=probs.device)
    last = torch.where(probs > 0, index, 0).amax(dim=-1)
    return torch.minimum(passed.sum(dim=-1), last)
