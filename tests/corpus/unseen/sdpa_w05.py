from __future__ import annotations

import torch
from torch import Tensor


def _bias_from(mask: Tensor | None, like: Tensor) -> Tensor:
    """Bring whatever mask the caller holds into something that can be added."""
    zero = torch.zeros((), dtype=like.dtype, device=like.device)
    if mask is None:
        return zero
    if mask.is_floating_point():
        return mask.to(like.dtype)
    blocked = torch.zeros(mask.shape, dtype=like.dtype, device=like.device)
    return blocked.masked_fill(mask.logical_not(), float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    scale = query.shape[-1] ** -0.5
    scores = torch.matmul(query, key.mT).mul(scale)
    scores = scores + _bias_from(mask, scores)
    if causal:
        n_q, n_k = scores.shape[-2:]
        keep = torch.ones(n_q, n_k, dtype=torch.bool, device=scores.device).tril(n_k - n_q)
        scores = scores.masked_fill(~keep, float("-inf"))
    return torch.matmul(scores.softmax(dim=-1), value)
