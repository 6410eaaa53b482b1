from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    vocab = logits.shape[1]
    seen = torch.nn.functional.one_hot(tokens, vocab).sum(dim=1) > 0
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, changed, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    smallest = torch.topk(logits, k, dim=-1).values[:, -1:]
    return torch.where(logits >= smallest, logits, float("-inf"))


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ordered, order = torch.sort(logits, dim=-1, descending=True)
    probs = torch.softmax(ordered, dim=-1)
    before = torch.cumsum(probs, dim=-1) - probs
    hidden = (before >= p) & (p < 1)
    # back from the sorted order to the vocabulary's
    hidden = hidden.gather(-1, order)
    return logits.masked_fill(hidden, float("-inf"))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    floor = p * probs.amax(dim=-1, keepdim=True)
    return torch.where(probs < floor, float("-inf"), logits)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    result = penalize(logits, tokens, penalty)
    result = result / temperature
    if top_k:
        result = keep_top_k(result, top_k)
    result = keep_top_p(result, top_p)
    result = keep_min_p(result, min_p)
    return torch.softmax(result, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    passed = torch.cumsum(probs, dim=-1) <= uniform.unsqueeze(-1)
    return passed.sum(dim=-1).clamp(max=probs.shape[-1] - 1)
