from __future__ import annotations

import functools
import math

import torch
from torch import Tensor


def hides(keep):
    """keep(logits, setting) says which tokens stay; the others get -inf."""

    @functools.wraps(keep)
    def filtered(logits: Tensor, *args, **kwargs) -> Tensor:
        return logits.masked_fill(~keep(logits, *args, **kwargs), -math.inf)

    return filtered


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    weaker = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, weaker, logits)


@hides
def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return logits >= logits.topk(k, dim=-1).values[:, -1:]


@hides
def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1:
        return torch.ones_like(logits, dtype=torch.bool)
    ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered
    stays = before < p
    stays[:, 0] = True  # the likeliest, whatever rounding says
    return torch.zeros_like(stays).scatter(1, order, stays)


@hides
def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    return probs >= p * probs.amax(dim=-1, keepdim=True)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    assert temperature > 0, f"temperature must be above 0, not {temperature}"
    steps = [
        (penalty, 1.0, lambda x, s: penalize(x, tokens, s)),
        (temperature, 1.0, lambda x, s: x / s),
        (top_k, 0, keep_top_k),
        (top_p, 1.0, keep_top_p),
        (min_p, 0.0, keep_min_p),
    ]
    for setting, neutral, step in steps:
        if setting != neutral:
            logits = step(logits, setting)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    passed = probs.cumsum(dim=-1) <= uniform.unsqueeze(-1)
    # rounding may leave the last sum below 1: then the last token that can be drawn
    places = torch.arange(probs.shape[-1], device=probs.device)
    last = torch.where(probs > 0, places, 0).amax(dim=-1)
    return torch.minimum(passed.sum(dim=-1), last)
