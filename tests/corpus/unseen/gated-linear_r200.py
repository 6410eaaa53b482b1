"""Gated linear attention with one decay per head.

    T_ij = sum_{l=j+1..i} log a_l   (i >= j),  -inf above the diagonal

T is summed segment by segment instead of being c_i - c_j: once one gate is shut, c is huge, and the
difference of two huge numbers forgets the small ones. Every term of T is <= 0, so exp never overflows.
"""
from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

TAU = 16.0


def up(*tensors: Tensor) -> list[Tensor]:
    return [t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensors]


def log_decay(gate: Tensor) -> Tensor:
    return functional.logsigmoid(gate) / TAU


def segments(la: Tensor) -> Tensor:
    """(..., n) -> (..., n, n), T as above."""
    n = la.shape[-1]
    i = torch.arange(n, device=la.device)
    below = i[:, None] > i
    T = torch.where(below, la[..., :, None], torch.zeros((), dtype=la.dtype, device=la.device)).cumsum(-2)
    return T.masked_fill(i[:, None] < i, -math.inf)


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    q, k, v, g, S = up(query, key, value, gate, state)
    S = torch.einsum("bh,bhdv->bhdv", log_decay(g).exp(), S) + torch.einsum("bhd,bhv->bhdv", k, v)
    return torch.einsum("bhdv,bhd->bhv", S, q).to(value.dtype), S.to(state.dtype)


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    q, k, v, g, S = up(query, key, value, gate, state)
    pieces = []
    for a in range(0, q.shape[2], chunk_size):
        c = slice(a, a + chunk_size)
        qc, kc, vc, la = q[:, :, c], k[:, :, c], v[:, :, c], log_decay(g[:, :, c])
        T = segments(la)
        since_start = la.cumsum(-1).exp()
        w = torch.einsum("bhid,bhjd->bhij", qc, kc) * T.exp()
        old = torch.einsum("bhid,bhdv->bhiv", since_start[..., None] * qc, S)
        pieces.append(old + torch.einsum("bhij,bhjv->bhiv", w, vc))
        kc = T[:, :, -1, :, None].exp() * kc  # what is left of it at the end
        S = since_start[:, :, -1, None, None] * S + torch.einsum("bhjd,bhjv->bhdv", kc, vc)
    return torch.cat(pieces, dim=2).to(value.dtype), S.to(state.dtype)
