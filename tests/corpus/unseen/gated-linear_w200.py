from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional


def log_a(gate: Tensor) -> Tensor:
    """log of what is kept, sigmoid(g)^(1/16)"""
    return functional.logsigmoid(gate) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    a = log_a(gate).exp()
    new = a[..., None, None] * state + key[..., :, None] * value[..., None, :]
    return torch.einsum("bhd,bhdv->bhv", query, new), new


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    n = query.shape[2]
    C = chunk_size
    N = -(-n // C)
    missing = N * C - n
    dt = torch.promote_types(query.dtype, torch.float32)

    # fill up to whole chunks: q = k = v = 0 write nothing and are cut off again
    def chunks(t: Tensor) -> Tensor:
        return functional.pad(t.to(dt), (0, 0, 0, missing)).unflatten(2, (N, C))

    q, k, v = chunks(query), chunks(key), chunks(value)
    la = log_a(chunks(gate[..., None]).squeeze(-1))  # b h N C

    # decay between two places of a chunk
    low = torch.ones(C, C, dtype=torch.bool, device=q.device).tril()
    seg = la[..., :, None].expand(*la.shape, C).masked_fill(~low.tril(-1), 0.0).cumsum(-2)
    T = seg.masked_fill(~low, -math.inf)
    inner = torch.einsum("bhnid,bhnjd->bhnij", q, k) * T.exp()
    inner = torch.einsum("bhnij,bhnjv->bhniv", inner, v)

    c = la.cumsum(-1)
    gain = torch.einsum("bhnjd,bhnjv->bhndv", T[..., -1, :, None].exp() * k, v)
    S = state.to(dt)
    rows = []
    for m in range(N):
        outer = torch.einsum("bhid,bhdv->bhiv", q[:, :, m] * c[:, :, m, :, None].exp(), S)
        rows.append(outer + inner[:, :, m])
        S = c[:, :, m, -1, None, None].exp() * S + gain[:, :, m]
    out = torch.cat(rows, dim=2)[:, :, :n]
    return out.to(value.dtype), S.to(state.dtype)
