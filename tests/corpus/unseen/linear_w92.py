from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def phi(t: Tensor) -> Tensor:
    return F.elu(t) + 1


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    summary = k.mT @ value
    normaliser = q @ k.sum(dim=2, keepdim=True).mT
    return q @ summary / normaliser


def _running(k: Tensor, value: Tensor) -> tuple[list[Tensor], Tensor]:
    states, state = [], k.new_zeros(*k.shape[:2], k.shape[-1], value.shape[-1])
    for t in range(k.shape[2]):
        state = state + k[:, :, t, :, None] * value[:, :, t, None, :]
        states.append(state)
    return states, k.sum(dim=2, keepdim=True)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = phi(query), phi(key)
    states, totals = _running(k, value)
    top = [(q[:, :, t, None] @ s).squeeze(2) for t, s in enumerate(states)]
    bottom = (q * totals).sum(dim=-1, keepdim=True)
    return torch.stack(top, dim=2) / bottom
