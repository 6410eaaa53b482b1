from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    rows = []
    for row, history in zip(logits, tokens):
        row = row.clone()
        ids = history.unique().long()
        at = row[ids]
        row[ids] = torch.where(at > 0, at / penalty, at * penalty)
        rows.append(row)
    return torch.stack(rows)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    rank = logits.argsort(-1, descending=True).argsort(-1)
    return logits.masked_fill(rank >= k, -torch.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    order = logits.argsort(-1, descending=True)
    probs = logits.softmax(-1).gather(-1, order)
    drop = probs.cumsum(-1) >= p
    drop = torch.cat([torch.zeros_like(drop[:, :1]), drop[:, :-1]], -1)
    return logits.masked_fill(drop.gather(-1, order.argsort(-1)), -torch.inf)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    relative = (logits - logits.amax(-1, keepdim=True)).exp()
    return logits.masked_fill(relative < p, -torch.inf)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    steps = [lambda z: penalize(z, tokens, penalty), lambda z: z / temperature]
    if top_k:
        steps.append(lambda z: keep_top_k(z, top_k))
    if top_p < 1:
        steps.append(lambda z: keep_top_p(z, top_p))
    steps.append(lambda z: keep_min_p(z, min_p))
    for step in steps:
        logits = step(logits)
    return logits.softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    sums = probs.cumsum(-1)
    token = torch.searchsorted(sums, uniform.unsqueeze(-1).to(sums.dtype)).squeeze(-1)
    return token.clamp(max=probs.size(-1) - 1)
