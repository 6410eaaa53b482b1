from __future__ import annotations

from functools import partial
from typing import Callable

import torch
from torch import Tensor

Processor = Callable[[Tensor], Tensor]


def _wide(x: Tensor) -> Tensor:
    return x if x.dtype == torch.float64 else x.float()


def _hide(logits: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep, logits, torch.full_like(logits, -torch.inf))


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for row, seen in zip(out, tokens):
        ids = torch.unique(seen).long()
        chosen = row[ids]
        row[ids] = torch.where(chosen < 0, chosen * penalty, chosen / penalty)
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    rank = logits.argsort(dim=1, descending=True).argsort(dim=1)
    return _hide(logits, rank < k)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1.0:
        return logits.clone()
    probs, order = torch.sort(torch.softmax(_wide(logits), dim=1), dim=1, descending=True)
    # how many running sums are below p; one token more reaches it
    count = (probs.cumsum(dim=1) < p).sum(dim=1, keepdim=True) + 1
    rank = torch.argsort(order, dim=1)
    return _hide(logits, rank < count)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(_wide(logits), dim=1)
    best, _ = probs.max(dim=1, keepdim=True)
    return _hide(logits, probs >= p * best)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    chain: list[Processor] = [
        partial(penalize, tokens=tokens, penalty=penalty),
        lambda x: x / temperature,
    ]
    if top_k > 0:
        chain.append(partial(keep_top_k, k=top_k))
    chain += [partial(keep_top_p, p=top_p), partial(keep_min_p, p=min_p)]
    x = _wide(logits)
    for process in chain:
        x = process(x)
    return torch.softmax(x, dim=1).to(logits.dtype)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    sums = torch.cumsum(_wide(probs), dim=1)
    place = torch.searchsorted(sums, uniform.to(sums.dtype).unsqueeze(1), right=True).squeeze(1)
    numbers = torch.arange(probs.shape[1], device=probs.device).expand_as(probs)
    last = numbers.masked_fill(probs <= 0, 0).amax(dim=1)
    return torch.min(place, last)
