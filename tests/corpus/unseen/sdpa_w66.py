from __future__ import annotations

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    (*lead, n, _), (m, d) = query.shape, value.shape[-2:]
    q, k, v = (t.reshape(-1, *t.shape[-2:]) for t in (query, key, value))

    hide = None
    if causal:
        hide = torch.ones(n, m, dtype=torch.bool, device=q.device).triu_(m - n + 1)
    if mask is not None:
        off = mask == 0
        hide = off if hide is None else hide | off

    scores = torch.baddbmm(q.new_zeros(1), q, k.mT, beta=0, alpha=d**-0.5).unflatten(0, lead)
    if hide is not None:
        scores = scores.masked_fill(hide, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).flatten(0, -3)
    return torch.bmm(weights, v).unflatten(0, lead)
