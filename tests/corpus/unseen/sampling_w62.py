# Sampler for our class chatbot
from __future__ import annotations

import torch
from torch import Tensor

MINUS_INF = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    # read the logits of the used tokens, change them, write them back
    own = logits.gather(1, tokens)
    own = torch.where(own > 0, own / penalty, own * penalty)
    return logits.scatter(1, tokens, own)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    best = logits.topk(k, dim=1)
    empty = torch.full_like(logits, MINUS_INF)
    return empty.scatter(1, best.indices, best.values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p == 1:
        return logits
    order = logits.argsort(dim=1, descending=True)
    probs = logits.gather(1, order).softmax(dim=1)
    reached = probs.cumsum(dim=1) - probs      # what stands before each token
    keep = reached < p
    keep = keep.gather(1, order)               # back to the vocabulary's order
    return logits.masked_fill(~keep, MINUS_INF)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=1)
    limit = p * probs.amax(dim=1, keepdim=True)
    return torch.where(probs >= limit, logits, MINUS_INF)


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
    if top_k:
        logits = keep_top_k(logits, top_k)
    logits = keep_top_p(logits, top_p)
    logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    stairs = probs.cumsum(dim=1)
    token = torch.searchsorted(stairs, uniform.unsqueeze(1), right=True)
    return token.squeeze(1).clamp(max=probs.shape[1] - 1)
