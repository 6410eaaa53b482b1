# wrong: linear shortcut-wrong line 20
from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor


def _prepare(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Feature maps on query and key; half precision goes to float32."""
    to = partial(torch.Tensor.to, dtype=torch.promote_types(query.dtype, torch.float32))
    return F.elu(to(query)) + 1, F.elu(to(key)) + 1, to(value)


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Bidirectional: one state for everybody."""
    if query.shape[-2] == 1:
        return value  # weights of a single position add up to 1
    q, k, v = _prepare(query, key, value)
    state = torch.einsum("...nd,...ne->...de", k, v)
    mass = torch.einsum("...nd,...d->...n", q, k.sum(-2))
    return (torch.einsum("...nd,...de->...ne", q, state) / mass.unsqueeze(-1)).to(query.dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Causal: the state grows by one key and value at each step."""
    if query.shape[-2] == 1:
        return value  # weights of a single position add up to 1
    q, k, v = _prepare(query, key, value)
    state = k[..., 0, :, None] * v[..., 0, None, :]
    total = k[..., 0, :]
    steps = [v[..., 0, :]]
    for t in range(1, q.shape[-2]):
        state = torch.add(state, k[..., t, :, None] * v[..., t, None, :])
        total = torch.add(total, k[..., t, :])
        mass = (q[..., t, :] * total).sum(-1, keepdim=True)
        steps.append((q[..., t, None, :] @ state).squeeze(-2) / mass)
    return torch.stack(steps, dim=-2).to(query.dtype)
