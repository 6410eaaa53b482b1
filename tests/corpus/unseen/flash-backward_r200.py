"""FlashAttention-2, algorithm 2, written the way I derive it.

    P_ij  = exp(beta q_i.k_j - L_i)
    dV_j  = P_ij dO_i
    dS_ij = P_ij (dO_i.v_j - D_i),   D_i = dO_i.O_i
    dQ_i  = beta dS_ij k_j,          dK_j = beta dS_ij q_i

Tiles of keys outside, strips of queries inside. exp(x) = 2^(x log2 e), the factor sits in beta and L.
"""
from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

LOG2E = 1.0 / math.log(2.0)


def cuts(start: int, stop: int, step: int) -> Iterator[tuple[int, int]]:
    while start < stop:
        yield start, min(start + step, stop)
        start += step


def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    acc = torch.promote_types(query.dtype, torch.float32)
    Q, K, V, O, L, G = (t.to(acc) for t in (query, key, value, output, lse, grad_output))
    n = Q.shape[2]
    beta = 1.0 / math.sqrt(Q.shape[3])
    strip = max(block_size, 64)

    D = torch.einsum("bhiv,bhiv->bhi", G, O)
    L2 = L * LOG2E
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)

    for j0, j1 in cuts(0, n, block_size):
        k, v = K[:, :, j0:j1], V[:, :, j0:j1]
        # causal: strips begin at the tile's first key, nothing before it sees the tile
        for i0, i1 in cuts(j0 if causal else 0, n, strip):
            q, g = Q[:, :, i0:i1], G[:, :, i0:i1]
            x = torch.einsum("bhid,bhjd->bhij", q * (beta * LOG2E), k) - L2[:, :, i0:i1, None]
            if causal and i0 < j1 - 1:
                i = torch.arange(i0, i1, device=x.device)
                j = torch.arange(j0, j1, device=x.device)
                x = x.masked_fill(j > i[:, None], -math.inf)  # the exponent, not the exponential
            P = torch.exp2(x)
            dV[:, :, j0:j1] += torch.einsum("bhij,bhiv->bhjv", P, g)
            dS = P * (torch.einsum("bhiv,bhjv->bhij", g, v) - D[:, :, i0:i1, None])
            dQ[:, :, i0:i1] += beta * torch.einsum("bhij,bhjd->bhid", dS, k)
            dK[:, :, j0:j1] += beta * torch.einsum("bhij,bhid->bhjd", dS, q)

    return dQ.to(query.dtype), dK.to(key.dtype), dV.to(value.dtype)
