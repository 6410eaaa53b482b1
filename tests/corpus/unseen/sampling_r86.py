from __future__ import annotations

from functools import partial, reduce

import torch
from torch import Tensor

HIDDEN = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    punished = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, punished, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    best = logits.topk(k, dim=-1)
    return torch.full_like(logits, HIDDEN).scatter(-1, best.indices, best.values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    order = logits.argsort(dim=-1, descending=True)
    ranked = logits.softmax(-1).gather(-1, order)
    before = ranked.cumsum(-1).roll(1, -1)
    before[:, 0] = 0.0
    stays = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before < p)
    return logits.masked_fill(~stays, HIDDEN)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    bar = p * probs.amax(-1, keepdim=True)
    return logits.masked_fill(probs < bar, HIDDEN)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    steps = [partial(penalize, tokens=tokens, penalty=penalty), lambda x: x / temperature]
    if top_k > 0:
        steps.append(partial(keep_top_k, k=top_k))
    if top_p < 1:
        steps.append(partial(keep_top_p, p=top_p))
    if min_p > 0:
        steps.append(partial(keep_min_p, p=min_p))
    return reduce(lambda x, step: step(x), steps, logits).softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    passed = probs.cumsum(-1) <= uniform.unsqueeze(-1)
    # rounding may leave the whole sum at or below the number: the last possible token then
    last = probs.shape[-1] - 1 - probs.flip(-1).gt(0).int().argmax(-1)
    return torch.minimum(passed.sum(-1), last)
