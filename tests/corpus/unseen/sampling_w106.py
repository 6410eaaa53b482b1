from __future__ import annotations

import math

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, changed, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    return torch.where(rank < k, logits, -math.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    order = logits.argsort(dim=-1, descending=True)
    sorted_probs = torch.softmax(logits, dim=-1).gather(-1, order)
    before = torch.nn.functional.pad(sorted_probs.cumsum(dim=-1)[:, :-1], (1, 0))
    keep_sorted = before < p
    keep = keep_sorted.gather(-1, order.argsort(dim=-1))
    return torch.where(keep, logits, -math.inf)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    bound = p * torch.max(probs)
    return torch.where(probs >= bound, logits, -math.inf)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    logits = keep_top_k(logits, top_k or logits.shape[-1])
    logits = keep_top_p(logits, top_p) if top_p < 1.0 else logits
    logits = keep_min_p(logits, min_p)
    return torch.softmax(logits, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(dim=-1)
    place = torch.searchsorted(running, uniform.to(running.dtype).unsqueeze(-1), right=True)
    return place.squeeze(-1).clamp(max=probs.shape[-1] - 1)
