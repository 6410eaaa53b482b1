from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor


class Processor(Protocol):
    def __call__(self, logits: Tensor) -> Tensor: ...


def _minus_infinity_except(logits: Tensor, index: Tensor, values: Tensor) -> Tensor:
    return torch.full_like(logits, float("-inf")).scatter(-1, index, values)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for row, sequence in zip(out, tokens.tolist()):
        seen = sorted(set(sequence))  # once, however often
        picked = row[seen]
        row[seen] = torch.where(picked > 0, picked / penalty, picked * penalty)
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, index = torch.topk(logits, k, dim=-1)
    return _minus_infinity_except(logits, index, values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    values, index = torch.sort(logits, dim=-1, descending=True)
    total = torch.softmax(values, dim=-1).cumsum(dim=-1)
    # shifted by one: hidden is what comes after the token that reached p
    reached = total[..., :-1] >= p if p < 1 else torch.zeros_like(total[..., :-1], dtype=torch.bool)
    values[..., 1:].masked_fill_(reached, float("-inf"))
    return _minus_infinity_except(logits, index, values)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    limit = probs.max(dim=-1, keepdim=True).values * p
    return torch.where(probs < limit, float("-inf"), logits)


@dataclass(frozen=True)
class SamplingParams:
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    penalty: float = 1.0

    def processors(self, tokens: Tensor) -> list[Processor]:
        chain: list[Processor] = [
            lambda x: penalize(x, tokens, self.penalty),
            lambda x: x / self.temperature,
            lambda x: keep_top_p(x, self.top_p),
            lambda x: keep_min_p(x, self.min_p),
        ]
        if self.top_k:
            chain.insert(2, lambda x: keep_top_k(x, self.top_k))
        return chain


def next_token_probs(logits: Tensor, tokens: Tensor, *args, **kwargs) -> Tensor:
    """Further arguments: those of SamplingParams, in its order."""
    for process in SamplingParams(*args, **kwargs).processors(tokens):
        logits = process(logits)
    return torch.softmax(logits, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    total = probs.cumsum(dim=-1)
    # past the end (rounding) is brought back to where the sum last grew
    ceiling = (total < total[:, -1:]).sum(dim=-1)
    found = torch.searchsorted(total, uniform.to(total.dtype)[:, None].contiguous(), right=True)
    return torch.minimum(found.squeeze(-1), ceiling)
