# S_i = a_i S_{i-1} + k_i v_i^T ;  o_i = S_i^T q_i ;  a = sigmoid(g)^{1/16}
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = torch.exp(functional.logsigmoid(gate) / 16)
    S = torch.einsum("bh,bhdv->bhdv", keep, state) + torch.einsum("bhd,bhv->bhdv", key, value)
    return torch.einsum("bhdv,bhd->bhv", S, query), S


def decay(c: Tensor) -> Tensor:
    """exp(c_i - c_j) for j <= i, 0 for j > i"""
    n = c.shape[-1]
    lower = torch.tril(torch.ones(n, n, dtype=torch.bool, device=c.device))
    ratio = torch.exp(c[..., :, None] - c[..., None, :])
    return torch.where(lower, ratio, torch.zeros_like(ratio))


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    kind = value.dtype
    wide = torch.promote_types(kind, torch.float32)
    query, key, value, gate, S = (t.to(wide) for t in (query, key, value, gate, state))
    log_keep = functional.logsigmoid(gate) / 16

    out = []
    for q, k, v, la in zip(
        query.split(chunk_size, 2), key.split(chunk_size, 2), value.split(chunk_size, 2), log_keep.split(chunk_size, 2)
    ):
        c = la.cumsum(dim=-1)
        G = decay(c)
        o = (c.exp()[..., None] * q) @ S
        o = o + (torch.einsum("bhid,bhjd->bhij", q, k) * G) @ v
        out.append(o)
        S = c[..., -1].exp()[..., None, None] * S + torch.einsum("bhjd,bhjv->bhdv", G[..., -1, :, None] * k, v)
    return torch.cat(out, dim=2).to(kind), S.to(kind)
