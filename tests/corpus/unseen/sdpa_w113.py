from __future__ import annotations

import torch
from torch import Tensor


def _scores(query: Tensor, key_t: Tensor) -> Tensor:
    width = key_t.shape[-1]
    batch = query.shape[:2]
    start = query.new_zeros(1)
    product = torch.baddbmm(start, query.flatten(0, 1), key_t.flatten(0, 1), beta=0, alpha=width ** -0.5)
    return product.unflatten(0, batch)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    scores = _scores(query, key.transpose(2, 3))
    low = torch.finfo(scores.dtype).min
    if mask is not None:
        scores = scores.masked_fill(mask == 0, low)
    if causal:
        rows, cols = scores.shape[-2:]
        own = torch.arange(rows, device=scores.device).unsqueeze(-1) + (cols - rows)
        scores = scores.masked_fill(torch.arange(cols, device=scores.device) > own, low)
    return scores.softmax(dim=-1) @ value
