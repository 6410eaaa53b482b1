from __future__ import annotations

from typing import Iterator

import torch
from torch import Tensor


def _allowed(q: Tensor, k: Tensor, mask: Tensor | None, causal: bool) -> Tensor:
    n, m = q.shape[-2], k.shape[-2]
    seen = torch.ones(n, m, dtype=torch.bool, device=q.device)
    if causal:
        at = torch.arange(m - n, m, device=q.device)
        seen = torch.arange(m, device=q.device) <= at.unsqueeze(1)
    if mask is not None:
        seen = seen & mask.bool()
    return seen.expand(*q.shape[:2], n, m)


def _heads(q: Tensor, k: Tensor, v: Tensor, seen: Tensor) -> Iterator[Tensor]:
    root = q.shape[-1] ** 0.25
    for qh, kh, vh, sh in zip(*(t.unbind(1) for t in (q / root, k / root, v, seen))):
        s = torch.einsum("btc,bsc->bts", qh, kh)
        s = s.masked_fill(~sh, torch.finfo(s.dtype).min)
        e = torch.exp(s - s.amax(dim=-1, keepdim=True))
        yield torch.einsum("bts,bsv->btv", e / e.sum(dim=-1, keepdim=True), vh)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    seen = _allowed(query, key, mask, causal)
    return torch.stack(list(_heads(query, key, value, seen)), dim=1)
