from __future__ import annotations

import functools

import torch
from torch import Tensor, nn
from torch.func import vmap


def affine(w: Tensor, row: Tensor) -> Tensor:
    """w is (d + 1, d): the last row is the bias."""
    return row @ w[:-1] + w[-1]


def attend_one(q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    """one query (d,), all keys (n, d), all values (n, d)"""
    s = K @ q / q.shape[0] ** 0.5
    e = torch.exp(s - s.max())
    return (e / e.sum()) @ V


def attend_sequence(w1: Tensor, w2: Tensor, w3: Tensor, rows: Tensor) -> Tensor:
    V = vmap(functools.partial(affine, w1))(rows)
    Q = vmap(functools.partial(affine, w2))(rows)
    K = vmap(functools.partial(affine, w3))(rows)
    return vmap(attend_one, in_dims=(0, None, None))(Q, K, V)


class SelfAttentionV1(nn.Module):
    """SelfAttentionV1(dim) gives the vmapped one; impl="loop" the slow one I debug with."""

    _registry: dict[str, type] = {}

    def __init_subclass__(cls, impl: str, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        SelfAttentionV1._registry[impl] = cls

    def __new__(cls, *args, impl: str = "vmap", **kwargs):
        return super().__new__(cls._registry[impl] if cls is SelfAttentionV1 else cls)

    def __init__(self, hidden_dim: int, impl: str = "vmap") -> None:
        super().__init__()
        for n in (1, 2, 3):
            w = torch.empty(hidden_dim + 1, hidden_dim).uniform_(-1, 1).mul_(hidden_dim**-0.5)
            setattr(self, f"w{n}", nn.Parameter(w))

    def forward(self, x: Tensor) -> Tensor:
        return self.over_batch(functools.partial(attend_sequence, self.w1, self.w2, self.w3), x)


class _Vmapped(SelfAttentionV1, impl="vmap"):
    @staticmethod
    def over_batch(one_sequence, x: Tensor) -> Tensor:
        return vmap(one_sequence)(x)


class _Looped(SelfAttentionV1, impl="loop"):
    @staticmethod
    def over_batch(one_sequence, x: Tensor) -> Tensor:
        return torch.stack([one_sequence(rows) for rows in x])
