from __future__ import annotations

import torch
from torch import Tensor


def _apply(logits: Tensor, keep: Tensor) -> Tensor:
    return logits.masked_fill(keep.logical_not(), float("-inf"))


def _mask_top_k(logits: Tensor, k: int) -> Tensor:
    if k == 0:
        return torch.ones_like(logits, dtype=torch.bool)
    rank = logits.argsort(-1, descending=True).argsort(-1)
    return rank < k


def _mask_top_p(logits: Tensor, p: float) -> Tensor:
    probs, order = logits.softmax(-1).sort(-1, descending=True)
    keep = torch.ones_like(logits, dtype=torch.bool)
    if p < 1.0:
        exclusive = torch.cat([torch.zeros_like(probs[:, :1]), probs.cumsum(-1)[:, :-1]], dim=-1)
        keep = keep.scatter(-1, order, exclusive < p)
    return keep


def _mask_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    return probs.ge(p * probs.amax(-1, keepdim=True))


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits).scatter(1, tokens, 1.0) > 0
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return _apply(logits, _mask_top_k(logits, k))


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    return _apply(logits, _mask_top_p(logits, p))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    return _apply(logits, _mask_min_p(logits, p))


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    z = penalize(logits, tokens, penalty).div(temperature)
    keep = _mask_top_k(z, top_k)
    keep = keep & _mask_top_p(z, top_p)
    keep = keep & _mask_min_p(z, min_p)
    return _apply(z, keep).softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(-1) > uniform.unsqueeze(-1)
    above[:, -1] = True
    return above.long().argmax(-1)
