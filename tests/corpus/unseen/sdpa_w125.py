from __future__ import annotations

import torch
from torch import Tensor


def _scores(query: Tensor, key: Tensor) -> Tensor:
    return torch.einsum("b h i d, b h j d -> b h i j", query, key) * query.shape[-1] ** -0.5


def _mix(scores: Tensor, value: Tensor) -> Tensor:
    return torch.einsum("b h i j, b h j d -> b h i d", scores.softmax(dim=-1), value)


def _may_attend(i: int, j: int, device: torch.device) -> Tensor:
    rows = torch.arange(i, device=device)[:, None] + (j - i)
    return rows >= torch.arange(j, device=device)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    sim = _scores(query, key)
    i, j = sim.shape[-2:]

    # one step of decoding
    if i == 1:
        return _mix(sim, value)

    hide = torch.zeros((i, j), dtype=torch.bool, device=sim.device)
    if causal:
        hide = hide | ~_may_attend(i, j, sim.device)
    if mask is not None:
        hide = hide | (mask == 0)
    return _mix(sim.masked_fill(hide, -torch.finfo(sim.dtype).max), value)
