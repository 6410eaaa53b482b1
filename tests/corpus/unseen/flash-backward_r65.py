from __future__ import annotations

import torch
from torch import Tensor

# Two-level tiling: (Bc keys) x (Br queries), all loops static in trip count.
_BR_MAX = 128


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


@torch.no_grad()
def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
    grad_output: Tensor, block_size: int, causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    B, H, N, D = query.shape
    V = value.shape[-1]
    assert key.shape == (B, H, N, D)
    assert output.shape == grad_output.shape == (B, H, N, V)
    assert lse.shape == (B, H, N)
    assert block_size >= 1

    T = torch.promote_types(query.dtype, torch.float32)
    BH = B * H
    Q = query.to(T).reshape(BH, N, D)
    K = key.to(T).reshape(BH, N, D)
    Vv = value.to(T).reshape(BH, N, V)
    dO = grad_output.to(T).reshape(BH, N, V)
    L = lse.to(T).reshape(BH, N, 1)
    ROW = dO.mul(output.to(T).reshape(BH, N, V)).sum(2, keepdim=True)
    ALPHA = 1.0 / (D ** 0.5)

    BC = min(block_size, N)
    BR = min(_BR_MAX, N)
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(Vv)

    for jb in range(_ceil_div(N, BC)):
        c0, c1 = jb * BC, min(N, jb * BC + BC)
        first_row_block = c0 // BR if causal else 0
        for ib in range(first_row_block, _ceil_div(N, BR)):
            r0, r1 = ib * BR, min(N, ib * BR + BR)
            S = torch.bmm(Q[:, r0:r1], K[:, c0:c1].mT) * ALPHA
            P = torch.exp_(S.sub_(L[:, r0:r1]))
            if causal and c1 - 1 > r0:
                rr = torch.arange(r0, r1, device=P.device)
                cc = torch.arange(c0, c1, device=P.device)
                P = torch.where(cc[None, :] <= rr[:, None], P, P.new_zeros(()))
            dV[:, c0:c1].baddbmm_(P.mT, dO[:, r0:r1])
            dP = torch.bmm(dO[:, r0:r1], Vv[:, c0:c1].mT)
            dS = dP.sub_(ROW[:, r0:r1]).mul_(P).mul_(ALPHA)
            dQ[:, r0:r1].baddbmm_(dS, K[:, c0:c1])
            dK[:, c0:c1].baddbmm_(dS.mT, Q[:, r0:r1])

    return (
        dQ.view(B, H, N, D).to(query.dtype),
        dK.view(B, H, N, D).to(key.dtype),
        dV.view(B, H, N, V).to(value.dtype),
    )
