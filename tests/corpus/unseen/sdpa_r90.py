from __future__ import annotations

import math

import torch
from torch import Tensor

STEP = 100


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    """Some rows at a time; each row's softmax is whole, so that nothing has to be rescaled."""
    batch, heads, n_q, width = query.shape
    n_k = key.shape[-2]
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(wide) for t in (query, key, value))
    full = None if mask is None else (mask != 0).broadcast_to(batch, heads, n_q, n_k)
    places = torch.arange(n_k, device=query.device)

    rows = []
    for lo in range(0, n_q, STEP):
        hi = min(lo + STEP, n_q)
        logits = torch.einsum("nhid,nhjd->nhij", q[:, :, lo:hi], k) / math.sqrt(width)
        if full is not None:
            logits = logits.masked_fill(~full[:, :, lo:hi], -math.inf)
        if causal:
            own = torch.arange(lo, hi, device=query.device) + n_k - n_q
            logits = logits.masked_fill(places > own.unsqueeze(1), -math.inf)
        rows.append(torch.einsum("nhij,nhje->nhie", logits.softmax(-1), v))
    return torch.cat(rows, dim=2).to(query.dtype)
