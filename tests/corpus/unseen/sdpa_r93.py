from __future__ import annotations

import math

import torch
from torch import Tensor


def _visible(mask: Tensor | None, causal: bool, rows: int, cols: int, device: torch.device) -> Tensor:
    see = torch.ones((rows, cols), dtype=torch.bool, device=device)
    if causal:
        see = torch.tril(see, diagonal=cols - rows)
    return see if mask is None else torch.logical_and(see, mask.to(torch.bool))


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    *_, rows, width = query.shape
    cols = key.shape[-2]
    logits = torch.matmul(query / math.sqrt(width), key.mT)
    hidden = torch.logical_not(_visible(mask, causal, rows, cols, query.device))
    # log-space: weights are exp(logit - lse)
    logits = logits.masked_fill(hidden, torch.finfo(logits.dtype).min)
    shifted = logits - logits.amax(-1, keepdim=True).detach()
    weights = torch.exp(shifted)
    return torch.matmul(weights / weights.sum(-1, keepdim=True), value)
