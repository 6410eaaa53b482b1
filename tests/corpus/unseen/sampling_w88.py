# attn-kata: sampling
from __future__ import annotations

import torch
from torch import Tensor


def _hide(logits: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep, logits, torch.full_like(logits, float("-inf")))


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for row, seen in zip(out, tokens):
        ids = seen.unique()
        vals = row[ids]
        row[ids] = torch.where(vals > 0, vals / penalty, vals * penalty)
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    keep = torch.zeros_like(logits, dtype=torch.bool)
    return _hide(logits, keep.scatter(1, logits.topk(k, dim=1).indices, True))


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    probs, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    before = probs.cumsum(dim=-1) - probs
    keep = torch.empty_like(before, dtype=torch.bool).scatter_(1, order, before < p)
    return _hide(logits, keep)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    return _hide(logits, probs >= p * probs.amax())


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0,
    min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k:
        logits = keep_top_k(logits, top_k)
    if top_p < 1:
        logits = keep_top_p(logits, top_p)
    if min_p:
        logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    index = torch.searchsorted(probs.cumsum(dim=-1), uniform[:, None].contiguous(), right=True)
    return index.squeeze(1).clamp(max=probs.shape[-1] - 1)
