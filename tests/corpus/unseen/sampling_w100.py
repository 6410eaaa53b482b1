from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor


class LogitsProcessor(ABC):
    @abstractmethod
    def process(self, logits: Tensor) -> Tensor: ...


class RepetitionPenalty(LogitsProcessor):
    def __init__(self, tokens: Tensor, penalty: float) -> None:
        self.tokens = tokens.long()
        self.penalty = penalty

    def process(self, logits: Tensor) -> Tensor:
        result = logits.clone()
        rows = torch.arange(logits.size(0), device=logits.device)
        for column in self.tokens.unbind(dim=1):
            current = result[rows, column]
            result[rows, column] = torch.where(current > 0, current / self.penalty, current * self.penalty)
        return result


class TopK(LogitsProcessor):
    def __init__(self, k: int) -> None:
        self.k = k

    def process(self, logits: Tensor) -> Tensor:
        best = logits.topk(self.k, dim=-1)
        return torch.full_like(logits, float("-inf")).scatter(1, best.indices, best.values)


class TopP(LogitsProcessor):
    def __init__(self, p: float) -> None:
        self.p = p

    def process(self, logits: Tensor) -> Tensor:
        probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        reached = (probabilities.cumsum(dim=-1) >= self.p).long()
        outside = (reached.cumsum(dim=-1) > 1)
        hidden = torch.zeros_like(outside).scatter(1, order, outside)
        return logits.masked_fill(hidden, float("-inf"))


class MinP(LogitsProcessor):
    def __init__(self, p: float) -> None:
        self.p = p

    def process(self, logits: Tensor) -> Tensor:
        probabilities = logits.softmax(dim=-1)
        bound = probabilities.amax(dim=-1, keepdim=True) * self.p
        return logits.masked_fill(probabilities < bound, float("-inf"))


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    return RepetitionPenalty(tokens, penalty).process(logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return TopK(k).process(logits)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    return TopP(p).process(logits)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    return MinP(p).process(logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    filters: list[LogitsProcessor] = []
    if top_k:
        filters.append(TopK(top_k))
    if top_p < 1:
        filters.append(TopP(top_p))
    if min_p > 0:
        filters.append(MinP(min_p))
    for processor in filters:
        logits = processor.process(logits)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(dim=-1)
    above = running > uniform.unsqueeze(1)
    above[:, -1] = True
    return above.to(torch.uint8).argmax(dim=-1)
