from __future__ import annotations

import torch
from torch import Tensor

HIDDEN = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool)
    seen = seen.scatter(1, tokens.long(), torch.ones_like(tokens, dtype=torch.bool))
    # dividing makes a positive logit smaller, multiplying a negative one: the lesser of both
    return torch.where(seen, torch.minimum(logits / penalty, logits * penalty), logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    kth = logits.kthvalue(logits.shape[1] - k + 1, dim=1, keepdim=True).values
    return logits.masked_fill(logits < kth, HIDDEN)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1:
        return logits.clone()
    order = logits.argsort(dim=1, descending=True)
    probs = logits.softmax(1).gather(1, order)
    # a token stays where those before it are not enough
    needed = probs.cumsum(1).roll(1, dims=1)
    needed[:, 0] = 0
    place = order.argsort(dim=1)
    stays = (needed < p).gather(1, place)
    return torch.where(stays, logits, HIDDEN)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    relative = (logits - logits.amax(1, keepdim=True)).exp()  # probability over the largest one
    return logits.masked_fill(relative < p, HIDDEN)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    steps = [
        lambda x: penalize(x, tokens, penalty),
        lambda x: x / temperature,
        lambda x: keep_top_k(x, top_k) if top_k else x,
        lambda x: keep_top_p(x, top_p),
        lambda x: keep_min_p(x, min_p),
    ]
    for step in steps:
        logits = step(logits)
    return logits.softmax(1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(1) > uniform[:, None]
    last = probs.shape[1] - 1 - (probs > 0).flip(1).int().argmax(1)
    # rounding may leave the whole sum a hair below the number
    return torch.where(above.any(1), above.int().argmax(1), last)
