from __future__ import annotations

import torch
from torch import Tensor

NOTHING = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    times = torch.zeros_like(logits).scatter_add_(1, tokens.long(), torch.ones_like(tokens, dtype=logits.dtype))
    less = torch.where(logits > 0, logits / penalty, logits * penalty)
    return less.where(times > 0, logits)


def _ranks(logits: Tensor) -> Tensor:
    """0 for the likeliest"""
    return logits.argsort(-1, descending=True).argsort(-1)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(_ranks(logits) >= k, NOTHING)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    # a token stays where what is likelier than it adds up to less than p
    best, order = logits.softmax(-1).sort(dim=-1, descending=True)
    before = best.cumsum(-1).roll(1, -1)
    before[:, 0] = 0
    drop = torch.zeros_like(logits, dtype=torch.bool).scatter(1, order, before >= p)
    return logits.masked_fill(drop, NOTHING)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    # in logarithms: no probability is made
    gap = logits - logits.amax(-1, keepdim=True)
    return torch.where(gap.exp() >= p, logits, NOTHING)


def next_token_probs(logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0,
                     top_p: float = 1.0, min_p: float = 0.0, penalty: float = 1.0) -> Tensor:
    steps = [
        lambda x: penalize(x, tokens, penalty),
        lambda x: x / temperature,
        lambda x: keep_top_k(x, top_k or x.shape[-1]),
        lambda x: keep_top_p(x, top_p) if top_p < 1 else x,
        lambda x: keep_min_p(x, min_p),
    ]
    for step in steps:
        logits = step(logits)
    return torch.softmax(logits, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(-1)
    found = torch.searchsorted(running, uniform.unsqueeze(-1), right=True).squeeze(-1)
    # rounding: the sum may end a little below the number
    last = (probs > 0).long().mul(torch.arange(1, probs.shape[-1] + 1, device=probs.device)).amax(-1) - 1
    return torch.minimum(found, last)
