from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor


class Filter(ABC):
    @abstractmethod
    def keeps(self, logits: Tensor) -> Tensor:
        """True at the tokens that stay."""

    def __call__(self, logits: Tensor) -> Tensor:
        return logits.where(self.keeps(logits), -torch.inf)


@dataclass
class TopK(Filter):
    k: int

    def keeps(self, logits: Tensor) -> Tensor:
        rank = logits.argsort(-1, descending=True).argsort(-1)
        return rank < self.k


@dataclass
class TopP(Filter):
    p: float

    def keeps(self, logits: Tensor) -> Tensor:
        probs, order = logits.softmax(-1).sort(-1, descending=True)
        kept = (probs.cumsum(-1) - probs) < self.p
        return kept.gather(-1, order.argsort(-1))


@dataclass
class MinP(Filter):
    p: float

    def keeps(self, logits: Tensor) -> Tensor:
        probs = logits.softmax(-1)
        return probs >= self.p * probs.amax(-1, keepdim=True)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for row, seen in zip(out, tokens):
        seen = seen.unique().long()
        old = row[seen]
        row[seen] = torch.where(old > 0, old / penalty, old * penalty)
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return TopK(k)(logits)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    return TopP(p)(logits)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    return MinP(p)(logits)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty) / temperature
    chain: list[Filter] = [TopP(top_p), MinP(min_p)]
    if top_k:
        chain.insert(0, TopK(top_k))
    stays = torch.stack([f.keeps(logits) for f in chain]).all(0)
    return logits.where(stays, -torch.inf).softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(-1) > uniform.unsqueeze(-1)
    return above.int().argmax(-1)
