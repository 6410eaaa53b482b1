from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor
from torch.nn.functional import one_hot


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits)
    for column in tokens.long().unbind(1):
        seen = seen.maximum(one_hot(column, logits.shape[1]).to(seen))
    less = logits.clamp(min=0) / penalty + logits.clamp(max=0) * penalty
    return torch.where(seen.bool(), less, logits)


def _keep(logits: Tensor, chosen: Tensor) -> Tensor:
    return torch.where(chosen, logits, torch.full_like(logits, float("-inf")))


def _ranks(logits: Tensor) -> Tensor:
    return logits.argsort(dim=1, descending=True).argsort(dim=1)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return _keep(logits, _ranks(logits) < k)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    probs, order = logits.softmax(1).sort(dim=1, descending=True)
    reached = (probs.cumsum(1) < p).sum(1, keepdim=True)  # how many places lie before the crossing
    return _keep(logits, _ranks(logits) <= reached)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(1)
    return _keep(logits, probs >= p * probs.amax(1, keepdim=True))


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0,
    top_p: float = 1.0, min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:  # fmt: skip
    pipeline: list[Callable[[Tensor], Tensor]] = [
        lambda z: penalize(z, tokens, penalty),
        lambda z: z / temperature,
        lambda z: keep_top_k(z, top_k or z.shape[1]),
        lambda z: keep_top_p(z, top_p) if top_p < 1 else z,
        lambda z: keep_min_p(z, min_p),
    ]
    for stage in pipeline:
        logits = stage(logits)
    return logits.softmax(1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(1) > uniform[:, None]
    last = probs.shape[1] - 1 - probs.flip(1).gt(0).int().argmax(1)
    return torch.where(above.any(1), above.int().argmax(1), last)
