from __future__ import annotations

import torch
from torch import Tensor


def _positions(n: int, s: int, device) -> tuple[Tensor, Tensor]:
    return torch.arange(s - n, s, device=device).unsqueeze(-1), torch.arange(s, device=device)


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    n, s = query.shape[-2], key.shape[-2]
    allowed = None
    if mask is not None:
        allowed = mask.bool()
    elif causal:
        at, keys = _positions(n, s, query.device)
        allowed = keys <= at
    logits = query @ (key * query.shape[-1] ** -0.5).mT
    if allowed is not None:
        logits = torch.where(allowed, logits, -torch.inf)
    return logits.softmax(dim=-1) @ value
