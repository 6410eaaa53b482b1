from __future__ import annotations

import torch
from torch import Tensor

HIDDEN = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, changed, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    edge = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < edge, HIDDEN)


def _to_vocabulary(sorted_mask: Tensor, order: Tensor) -> Tensor:
    return sorted_mask.gather(-1, order)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ordered, order = logits.sort(dim=-1, descending=True)
    probs = ordered.softmax(dim=-1)
    before = probs.cumsum(dim=-1) - probs
    return logits.masked_fill(_to_vocabulary(before >= p, order), HIDDEN)


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
    return (probs.cumsum(dim=-1) <= uniform.unsqueeze(-1)).sum(dim=-1).clamp(max=probs.shape[-1] - 1)
