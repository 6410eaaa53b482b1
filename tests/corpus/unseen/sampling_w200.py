# attn-kata: sampling
from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor

Filter = Callable[[Tensor, float], Tensor]
FILTERS: dict[str, Filter] = {}


def register_filter(name: str) -> Callable[[Filter], Filter]:
    """Adds a function (logits, setting) -> what to hide, as booleans."""

    def wrap(function: Filter) -> Filter:
        FILTERS[name] = function
        return function

    return wrap


def apply_filter(name: str, logits: Tensor, setting: float) -> Tensor:
    return logits.masked_fill(FILTERS[name](logits, setting), float("-inf"))


@register_filter("top_k")
def _top_k(logits: Tensor, k: float) -> Tensor:
    threshold = logits.topk(int(k), dim=-1).values[..., -1, None]
    return logits < threshold


@register_filter("top_p")
def _top_p(logits: Tensor, p: float) -> Tensor:
    sorted_logits, sorted_indices = logits.sort(dim=-1, descending=True)
    sorted_probs = sorted_logits.softmax(dim=-1)
    hide_sorted = sorted_probs.cumsum(dim=-1) - sorted_probs >= p
    # back to the vocabulary's order
    return hide_sorted.gather(-1, sorted_indices)


@register_filter("min_p")
def _min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    return probs < p * probs.max(dim=-1, keepdim=True).values


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    score = logits.gather(1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return apply_filter("top_k", logits, k)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    return apply_filter("top_p", logits, p)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    return apply_filter("min_p", logits, p)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    cdf = probs.cumsum(dim=-1)
    found = torch.searchsorted(cdf, uniform.unsqueeze(-1), right=True).squeeze(-1)
    return found.clamp(max=probs.size(-1) - 1)
