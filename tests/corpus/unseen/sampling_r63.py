from __future__ import annotations

import math

import torch
from torch import Tensor

NEG = -math.inf


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, tokens, True)
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    # rank of every token by sorting twice
    rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    return logits.masked_fill(rank >= k, NEG)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    # a token stays while the likelier ones together are still short of p
    probs = logits.softmax(-1)
    ordered, order = probs.sort(dim=-1, descending=True)
    before = torch.nn.functional.pad(ordered.cumsum(-1)[..., :-1], (1, 0))
    hide = torch.empty_like(before, dtype=torch.bool).scatter_(-1, order, before >= p)
    return logits.masked_fill(hide, NEG)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    if p <= 0:
        return logits.clone()
    # in logarithms: log prob_i - log prob_max = logit_i - logit_max
    return torch.where(logits - logits.amax(-1, keepdim=True) >= math.log(p), logits, NEG)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    x = penalize(logits, tokens, penalty) / temperature
    x = keep_top_k(x, top_k or x.size(-1))
    if top_p < 1.0:
        x = keep_top_p(x, top_p)
    return keep_min_p(x, min_p).softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    cdf = probs.cumsum(-1)
    last = (probs > 0).long().cumsum(-1).argmax(-1)  # guards against a sum just below 1
    return torch.minimum((cdf <= uniform.unsqueeze(-1)).sum(-1), last)
