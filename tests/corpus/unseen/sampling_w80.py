from __future__ import annotations

import torch
from torch import Tensor

HIDDEN = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = logits.gather(1, tokens.long())
    seen = torch.where(seen > 0, seen / penalty, seen * penalty)
    return logits.scatter(1, tokens.long(), seen)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    smallest = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < smallest, HIDDEN)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ordered = logits.softmax(dim=-1).sort(dim=-1, descending=True).values
    before = ordered.cumsum(dim=-1) - ordered
    # a token is in as long as those before it are short of p
    size = int((before < p).sum(dim=-1).max())
    return keep_top_k(logits, size)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    return logits.masked_fill(probs < p * probs.amax(dim=-1, keepdim=True), HIDDEN)


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
    if top_p < 1:
        logits = keep_top_p(logits, top_p)
    if min_p > 0:
        logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(dim=-1)
    place = torch.searchsorted(running, uniform[:, None].to(running.dtype), right=True)
    return place.squeeze(1).clamp(max=probs.shape[-1] - 1)
