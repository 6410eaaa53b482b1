from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Processor = Callable[[Tensor], Tensor]


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, tokens.long(), True)
    weaker = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, weaker, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, indices = logits.topk(k, dim=1)
    return torch.full_like(logits, -torch.inf).scatter(1, indices, values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    order = logits.argsort(dim=1, descending=True)
    probs = logits.softmax(dim=1).gather(1, order)
    before = probs.cumsum(dim=1) - probs
    hidden = torch.empty_like(before, dtype=torch.bool).scatter_(1, order, before >= p)
    hidden.scatter_(1, order[:, :1], False)
    return logits.masked_fill(hidden, -torch.inf)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=1)
    return logits.masked_fill(probs < p * probs.max(dim=1, keepdim=True).values, -torch.inf)


def _pipeline(tokens, temperature, top_k, top_p, min_p, penalty) -> list[Processor]:
    steps: list[Processor] = []
    if penalty != 1.0:
        steps.append(lambda x: penalize(x, tokens, penalty))
    if temperature != 1.0:
        steps.append(lambda x: x / temperature)
    if top_k:
        steps.append(lambda x: keep_top_k(x, top_k))
    if min_p > 0.0:
        steps.append(lambda x: keep_min_p(x, min_p))
    if top_p < 1.0:
        steps.append(lambda x: keep_top_p(x, top_p))
    return steps


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0,
    top_p: float = 1.0, min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:
    for step in _pipeline(tokens, temperature, top_k, top_p, min_p, penalty):
        logits = step(logits)
    return logits.softmax(dim=1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(dim=1)
    return torch.searchsorted(running, uniform.unsqueeze(1), right=True).squeeze(1).clamp(max=probs.size(1) - 1)
