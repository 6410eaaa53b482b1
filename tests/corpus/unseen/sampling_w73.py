from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    score = torch.gather(logits, 1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    kth = torch.topk(logits, k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < kth, -float("inf"))


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    logits_sort, logits_idx = logits.sort(dim=-1, descending=True)
    probs_sort = logits_sort.softmax(dim=-1)
    before = probs_sort.cumsum(dim=-1) - probs_sort
    top_p_mask = before >= p
    top_p_mask[:, 0] = False
    logits_sort = logits_sort.masked_fill(top_p_mask, -float("inf"))
    return torch.empty_like(logits).scatter_(-1, logits_idx, logits_sort)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    threshold = probs.amax(dim=-1, keepdim=True) * p
    return logits.masked_fill(probs < threshold, -float("inf"))


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty).div(temperature)
    if top_k:
        logits = keep_top_k(logits, top_k)
    if top_p < 1:
        logits = keep_top_p(logits, top_p)
    if min_p:
        logits = keep_min_p(logits, min_p)
    return torch.softmax(logits, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    cdf = torch.cumsum(probs, dim=-1)
    index = torch.searchsorted(cdf, uniform.unsqueeze(-1)).squeeze(-1)
    return index.clamp(max=probs.shape[-1] - 1)
