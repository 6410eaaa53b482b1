from __future__ import annotations

import torch
from torch import Tensor


def _ranks(logits: Tensor) -> Tensor:
    """0 for a row's largest logit, 1 for the next"""
    return logits.argsort(dim=1, descending=True).argsort(dim=1)


def _only(logits: Tensor, stays: Tensor) -> Tensor:
    return torch.where(stays, logits, -torch.inf)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    had = torch.zeros(logits.shape, dtype=torch.bool, device=logits.device)
    had.scatter_(1, tokens.long(), True)
    lower = logits * penalty ** -logits.sign()          # positive: divided, negative: multiplied, 0: 0
    return torch.where(had, lower, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return _only(logits, _ranks(logits) < k)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=1)
    rows = []
    for row in probs:
        size, reached = 0, 0.0
        likeliest = row.sort(descending=True).values.tolist()
        for share in likeliest:
            size, reached = size + 1, reached + share
            if reached >= p:
                break
        rows.append(size)
    sizes = torch.tensor(rows, device=logits.device).unsqueeze(1)
    return _only(logits, _ranks(logits) < sizes)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    if p == 0:
        return logits.clone()
    probs = torch.softmax(logits, dim=1)
    return _only(logits, probs >= p * probs.max(dim=1, keepdim=True).values)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    z = penalize(logits, tokens, penalty) / temperature
    z = keep_top_k(z, top_k or z.size(1))
    if top_p < 1:
        z = keep_top_p(z, top_p)
    return torch.softmax(keep_min_p(z, min_p), dim=1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(dim=1) > uniform.unsqueeze(1)
    # the first True of each row; argmax of numbers falling to the right, 0 where False
    places = torch.arange(probs.size(1), 0, -1, device=probs.device)
    return (above * places).argmax(dim=1)
