from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _hide(logits: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep, logits, torch.tensor(float("-inf"), dtype=logits.dtype, device=logits.device))


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    occurs = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(occurs, changed, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    return _hide(logits, rank < k)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    order = logits.argsort(dim=-1, descending=True)
    probs = F.softmax(logits, dim=-1).gather(1, order)
    inside = (probs.cumsum(dim=-1) - probs) < p
    return _hide(logits, torch.zeros_like(inside).scatter(1, order, inside))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = F.softmax(logits, dim=-1)
    return _hide(logits, probs >= p * probs.amax(dim=-1, keepdim=True))


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    if top_k == 1:
        # greedy: neither a temperature nor a filter changes which one is left
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1:
        logits = keep_top_p(logits, top_p)
    if min_p > 0:
        logits = keep_min_p(logits, min_p)
    return F.softmax(logits, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(dim=-1) > uniform[:, None]
    return above.long().argmax(dim=-1)
