from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    picked = torch.gather(logits, 1, tokens)
    picked = torch.where(picked < 0, picked * penalty, picked / penalty)
    return logits.scatter(1, tokens, picked)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    kth = torch.topk(logits, k)[0][..., -1, None]
    return logits.masked_fill(logits < kth, -float("inf"))


def _nucleus(sorted_probs: Tensor, p: float) -> Tensor:
    cumulative = sorted_probs.cumsum(dim=-1)
    remove = cumulative > p
    remove[..., 0] = False
    return remove


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1:
        return logits.clone()
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    remove = _nucleus(sorted_logits.softmax(-1), p)
    remove = torch.zeros_like(remove).scatter(1, sorted_indices, remove)
    return logits.masked_fill(remove, -float("inf"))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    top = probs.max(dim=-1, keepdim=True)[0]
    return torch.where(probs >= top * p, logits, torch.full_like(logits, -float("inf")))


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0,
    min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:
    scores = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        scores = keep_top_k(scores, top_k)
    scores = keep_top_p(scores, top_p)
    scores = keep_min_p(scores, min_p)
    return scores.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    return (probs.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=probs.shape[-1] - 1)
