from __future__ import annotations

import functools

import torch
import torch.nn.functional as F
from torch import Tensor


def with_feature_map(fn):
    """The decorated function gets φ(query) and φ(key)."""

    @functools.wraps(fn)
    def mapped(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        phi = lambda t: F.elu(t) + 1  # noqa: E731
        return fn(phi(query), phi(key), value)

    return mapped


@with_feature_map
def linear_attention(query, key, value):
    state = key.mT @ value                          # (b, h, d, v)
    weight = query @ key.sum(dim=-2).unsqueeze(-1)  # (b, h, n, 1)
    return query @ state / weight


def _states(key: Tensor, value: Tensor):
    state = torch.zeros_like(key[:, :, 0, :, None] * value[:, :, 0, None, :])
    norm = torch.zeros_like(key[:, :, 0])
    for k, v in zip(key.unbind(2), value.unbind(2)):
        state = state + k.unsqueeze(-1) * v.unsqueeze(-2)
        norm = norm + k
        yield state, norm


@with_feature_map
def causal_linear_attention(query, key, value):
    rows = [
        (q.unsqueeze(-2) @ state).squeeze(-2) / (q * norm).sum(-1, keepdim=True)
        for q, (state, norm) in zip(query.unbind(2), _states(key, value))
    ]
    return torch.stack(rows, dim=2)
