from __future__ import annotations

from functools import partial, reduce
from typing import Callable

import torch
from torch import Tensor

Step = Callable[[Tensor], Tensor]


def _hide(logits: Tensor, kept: Tensor) -> Tensor:
    return torch.where(kept, logits, -torch.inf)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    # how often each token occurs; a scatter_add of ones counts them, and any count above 0 is one
    counts = torch.zeros(logits.shape, dtype=torch.long, device=logits.device)
    counts.scatter_add_(1, tokens.long(), torch.ones_like(tokens, dtype=torch.long))
    less_likely = torch.minimum(logits / penalty, logits * penalty)
    return torch.where(counts > 0, less_likely, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    smallest_kept = torch.kthvalue(logits, logits.shape[1] - k + 1, dim=1, keepdim=True).values
    return _hide(logits, logits >= smallest_kept)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1:
        return logits.clone()  # every token has a share, however small
    order = logits.argsort(dim=1, descending=True)
    shares = logits.softmax(dim=1).take_along_dim(order, dim=1)
    before = shares.cumsum(dim=1).roll(1, dims=1)  # the sum without the token itself
    before[:, 0] = 0
    kept = torch.empty_like(order, dtype=torch.bool).scatter_(1, order, before < p)
    return _hide(logits, kept)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    shares = torch.softmax(logits, dim=-1)
    return _hide(logits, shares.ge(p * shares.amax(dim=-1, keepdim=True)))


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    steps: list[tuple[bool, Step]] = [
        (penalty != 1.0, partial(penalize, tokens=tokens, penalty=penalty)),
        (temperature != 1.0, lambda x: x / temperature),
        (top_k > 0, partial(keep_top_k, k=top_k)),
        (top_p < 1.0, partial(keep_top_p, p=top_p)),
        (min_p > 0.0, partial(keep_min_p, p=min_p)),
    ]
    left = reduce(lambda x, step: step(x), (step for on, step in steps if on), logits)
    return left.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    sums = probs.double().cumsum(dim=1)
    places = torch.searchsorted(sums, uniform.double().unsqueeze(1), right=True).squeeze(1)
    # a sum that rounding leaves just below 1 may never pass the number: the last possible token then
    numbers = torch.arange(probs.shape[1], device=probs.device)
    last = torch.where(probs > 0, numbers, 0).amax(dim=1)
    return torch.minimum(places, last)
