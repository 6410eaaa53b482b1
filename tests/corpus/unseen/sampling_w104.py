from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    index = tokens.long()
    picked = logits.gather(1, index)
    picked = torch.where(picked < 0, picked * penalty, picked / penalty)
    return logits.scatter(1, index, picked)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, _ = torch.topk(logits, k)
    threshold = values[:, -1]
    return torch.where(logits < threshold, float("-inf"), logits)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    values, order = torch.sort(logits, dim=-1, descending=True)
    probs = torch.softmax(values, dim=-1)
    keep = torch.cumsum(probs, dim=-1) - probs < p
    rank = torch.argsort(order, dim=-1)
    return logits.masked_fill(~keep.gather(1, rank), float("-inf"))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    keep = probs >= p * probs.max(dim=-1, keepdim=True).values
    return torch.where(keep, logits, float("-inf"))


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    out = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        out = keep_top_k(out, top_k)
    if top_p < 1.0:
        out = keep_top_p(out, top_p)
    if min_p > 0.0:
        out = keep_min_p(out, min_p)
    return torch.softmax(out, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(dim=-1)
    token = (running <= uniform.unsqueeze(-1)).sum(dim=-1)
    numbers = torch.arange(probs.size(-1), device=probs.device)
    last = torch.where(probs > 0, numbers, 0).amax(dim=-1)
    return torch.minimum(token, last)
