from __future__ import annotations

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    """Keys on the rows: scores are made transposed, and the softmax runs over axis -2."""
    L, S = query.size(-2), key.size(-2)
    scores = key @ (query / query.size(-1) ** 0.5).mT                # (b, h, S, L)
    bias = torch.zeros((), dtype=scores.dtype, device=scores.device)
    lowest = torch.finfo(scores.dtype).min
    if causal:
        # keys that lie more than S - L behind the row's number
        ahead = torch.ones(S, L, dtype=torch.bool, device=query.device).tril(-1 - (S - L))
        scores = scores.masked_fill(ahead, lowest)
    if mask is not None:
        hidden = (mask == 0).transpose(-1, -2)                       # (..., S, L or 1)
        scores = scores.masked_fill(hidden, lowest)
    shares = torch.softmax(scores + bias, dim=-2)
    return shares.mT @ value
