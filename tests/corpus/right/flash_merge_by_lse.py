# right: flash
"""Each tile is a whole attention of its own; two of them are merged by their log-sum-exp."""
from __future__ import annotations

import torch
from torch import Tensor


def _tile(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None) -> tuple[Tensor, Tensor]:
    s = (q @ k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    if hidden is not None:
        s = s.masked_fill(hidden, torch.finfo(s.dtype).min)
    lse = torch.logsumexp(s, dim=-1, keepdim=True)
    return torch.softmax(s, dim=-1) @ v, lse


def _merge(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    both = torch.logaddexp(a[1], b[1])
    return a[0] * (a[1] - both).exp() + b[0] * (b[1] - both).exp(), both


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    n = query.shape[-2]
    pos = torch.arange(n, device=query.device)
    state: tuple[Tensor, Tensor] | None = None
    for a in range(0, n, block_size):
        b = min(a + block_size, n)
        hidden = pos[a:b] > pos.unsqueeze(-1) if causal else None
        tile = _tile(query, key[:, :, a:b], value[:, :, a:b], hidden)
        state = tile if state is None else _merge(state, tile)
    assert state is not None
    return state[0]
