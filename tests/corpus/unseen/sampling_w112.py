from __future__ import annotations

import torch
from torch import Tensor

HIDDEN = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    lowered = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, lowered, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    kth = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < kth, HIDDEN)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ordered, places = logits.sort(dim=-1, descending=True)
    running = ordered.softmax(dim=-1).cumsum(dim=-1)
    before = torch.cat([torch.zeros_like(running[:, :1]), running[:, :-1]], dim=-1)
    ordered = ordered.masked_fill(before >= p, HIDDEN)
    return torch.empty_like(logits).scatter_(1, places, ordered)


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
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(dim=-1)
    token = torch.searchsorted(running, uniform.unsqueeze(-1))
    return token.squeeze(-1).clamp(max=probs.size(-1) - 1)
