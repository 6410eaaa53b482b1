from __future__ import annotations

import torch
from torch import Tensor

HIDDEN = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    picked = logits.gather(1, tokens.long())
    picked = torch.where(picked > 0, picked / penalty, picked * penalty)
    return logits.scatter(1, tokens.long(), picked)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    smallest = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < smallest, HIDDEN)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ordered, places = logits.sort(dim=-1, descending=True)
    probs = ordered.softmax(-1)
    before = probs.cumsum(-1) - probs
    ordered = ordered.masked_fill(before >= p, HIDDEN)
    return torch.full_like(logits, HIDDEN).scatter(1, places, ordered)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.max(), HIDDEN)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    x = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        x = keep_top_k(x, top_k)
    if top_p < 1:
        x = keep_top_p(x, top_p)
    if min_p > 0:
        x = keep_min_p(x, min_p)
    return x.softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(-1) > uniform.unsqueeze(-1)
    return above.int().argmax(-1)
