from __future__ import annotations

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    batch, vocab = logits.shape
    seen = torch.zeros(batch, vocab, dtype=torch.bool, device=logits.device)
    seen[torch.arange(batch, device=logits.device)[:, None], tokens.long()] = True
    lowered = torch.where(logits < 0, logits * penalty, logits / penalty)
    return torch.where(seen, lowered, logits)


def _hide(logits: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep, logits, -torch.inf)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    keep = torch.zeros_like(logits, dtype=torch.bool)
    return _hide(logits, keep.scatter(1, logits.topk(k).indices, True))


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    ranked, order = torch.sort(probs, dim=-1, descending=True)
    mass_before = torch.cumsum(ranked, dim=-1) - ranked
    keep_ranked = mass_before < p
    keep = keep_ranked.gather(1, order)
    return _hide(logits, keep)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    return _hide(logits, probs >= p * probs.amax(dim=-1, keepdim=True))


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    logits = keep_top_k(logits, top_k if top_k else logits.shape[-1])
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    logits = keep_min_p(logits, min_p)
    return torch.softmax(logits, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    below = (probs.cumsum(dim=-1) <= uniform[:, None]).sum(dim=-1)
    return below.clamp(max=probs.shape[-1] - 1)
