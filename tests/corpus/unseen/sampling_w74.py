# sampler.py: each filter gives a mask of what stays, all of them are joined at the end
from __future__ import annotations

import torch
from torch import Tensor


def _hide(logits: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep, logits, float("-inf"))


def _top_k_mask(logits: Tensor, k: int) -> Tensor:
    index = logits.topk(k, dim=-1).indices
    return torch.zeros_like(logits, dtype=torch.bool).scatter(-1, index, True)


def _top_p_mask(logits: Tensor, p: float) -> Tensor:
    probs, order = logits.softmax(-1).sort(-1, descending=True)
    below = probs.cumsum(-1).roll(1, dims=-1)
    below[..., 0] = 0.0
    return torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, below < p)


def _min_p_mask(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    return probs >= p * probs.amax(-1, keepdim=True)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens, True)
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    return _hide(logits, _top_k_mask(logits, k))


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    return _hide(logits, _top_p_mask(logits, p))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    return _hide(logits, _min_p_mask(logits, p))


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty) / temperature
    keep = torch.ones_like(logits, dtype=torch.bool)
    if top_k > 0:
        keep = keep & _top_k_mask(logits, top_k)
    if top_p < 1.0:
        keep = keep & _top_p_mask(logits, top_p)
    if min_p > 0.0:
        keep = keep & _min_p_mask(logits, min_p)
    return _hide(logits, keep).softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(-1) > uniform[:, None]
    return above.to(torch.uint8).argmax(-1)
