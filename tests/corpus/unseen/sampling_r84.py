from __future__ import annotations

import torch
from torch import Tensor


def _hide(logits: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep, logits, -torch.inf)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    kth = logits.topk(k, dim=-1).values[:, -1:]
    return _hide(logits, logits >= kth)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    order = logits.argsort(dim=-1, descending=True)
    probs = logits.softmax(dim=-1).gather(1, order)
    sums = probs.cumsum(dim=-1)
    # a token stays while the sum of those before it has not reached p
    before = torch.cat((torch.zeros_like(sums[:, :1]), sums[:, :-1]), dim=-1)
    keep = torch.empty_like(logits, dtype=torch.bool).scatter(1, order, before < p)
    return _hide(logits, keep)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    return _hide(logits, probs >= p * probs.amax(dim=-1, keepdim=True))


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    pipeline = [
        (penalty != 1.0, lambda t: penalize(t, tokens, penalty)),
        (temperature != 1.0, lambda t: t / temperature),
        (top_k > 0, lambda t: keep_top_k(t, top_k)),
        (top_p < 1.0, lambda t: keep_top_p(t, top_p)),
        (min_p > 0.0, lambda t: keep_min_p(t, min_p)),
    ]
    for wanted, stage in pipeline:
        if wanted:
            logits = stage(logits)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(dim=-1) > uniform.unsqueeze(-1)
    first = above.int().argmax(dim=-1)
    # rounding may leave the whole sum just below 1, and so below the number
    last = probs.size(-1) - 1 - (probs > 0).flip(-1).int().argmax(dim=-1)
    return torch.where(above.any(dim=-1), first, last)
