"""A sampler is a chain of processors; each is an object that maps logits to logits."""
from __future__ import annotations

import bisect
import itertools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import reduce

import torch
from torch import Tensor


class Processor(ABC):
    @abstractmethod
    def __call__(self, logits: Tensor) -> Tensor: ...

    def __or__(self, other: Processor) -> Chain:
        return Chain((self, other))


@dataclass
class Chain(Processor):
    links: tuple[Processor, ...]

    def __or__(self, other: Processor) -> Chain:
        return Chain((*self.links, other))

    def __call__(self, logits: Tensor) -> Tensor:
        return reduce(lambda z, link: link(z), self.links, logits)


@dataclass
class Repetition(Processor):
    tokens: Tensor
    penalty: float

    def __call__(self, logits: Tensor) -> Tensor:
        tokens = self.tokens.long()
        mine = logits.gather(1, tokens)
        return logits.scatter(1, tokens, torch.where(mine < 0, mine * self.penalty, mine / self.penalty))


@dataclass
class Temperature(Processor):
    value: float

    def __call__(self, logits: Tensor) -> Tensor:
        return logits / self.value


@dataclass
class TopK(Processor):
    k: int

    def __call__(self, logits: Tensor) -> Tensor:
        best = torch.topk(logits, self.k or logits.shape[1])
        return torch.full_like(logits, -torch.inf).scatter(1, best.indices, best.values)


@dataclass
class TopP(Processor):
    p: float

    def __call__(self, logits: Tensor) -> Tensor:
        if self.p >= 1:
            return logits.clone()
        ordered, back = torch.sort(logits, dim=-1)                  # the least likely first
        # the upper tail, summed from its own end
        tail = ordered.softmax(-1).flip(-1).cumsum(-1)
        needed = (tail < self.p).sum(-1, keepdim=True) + 1
        rank = torch.arange(logits.shape[1], 0, -1, device=logits.device)
        return torch.empty_like(logits).scatter(-1, back, ordered.masked_fill(rank > needed, -torch.inf))


@dataclass
class MinP(Processor):
    p: float

    def __call__(self, logits: Tensor) -> Tensor:
        probs = torch.softmax(logits, -1)
        return torch.where(probs < self.p * probs.amax(-1, keepdim=True), -torch.inf, logits)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    return Repetition(tokens, penalty)(logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return TopK(k)(logits)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    return TopP(p)(logits)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    return MinP(p)(logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    chain = Repetition(tokens, penalty) | Temperature(temperature) | TopK(top_k) | TopP(top_p) | MinP(min_p)
    return torch.softmax(chain(logits), dim=1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    picked = []
    for row, u in zip(probs.tolist(), uniform.tolist()):
        last = max(i for i, p in enumerate(row) if p > 0)
        picked.append(min(bisect.bisect_right(list(itertools.accumulate(row)), u), last))
    return torch.tensor(picked, device=probs.device)
