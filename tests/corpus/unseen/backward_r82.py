from __future__ import annotations

import math

import torch
from torch import Tensor


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    B, H, N, D = query.shape
    M = key.shape[2]
    Q, K = query.reshape(B * H, N, D), key.reshape(B * H, M, D)
    V, G = value.reshape(B * H, M, -1), grad_output.reshape(B * H, N, -1)
    c = 1.0 / math.sqrt(D)

    S = torch.baddbmm(torch.zeros(1, dtype=Q.dtype, device=Q.device), Q, K.transpose(1, 2), beta=0, alpha=c)
    if causal:
        i = torch.arange(M - N, M, device=Q.device).view(N, 1)
        j = torch.arange(M, device=Q.device).view(1, M)
        S = torch.where(j <= i, S, torch.finfo(S.dtype).min)
    S = S - S.max(dim=2, keepdim=True)[0]
    E = torch.exp(S)
    P = E.div(E.sum(2, keepdim=True))

    dV = torch.bmm(P.transpose(1, 2), G)
    D_ = torch.bmm(P, V).mul(G).sum(2, keepdim=True)
    dS = torch.bmm(G, V.transpose(1, 2)).sub(D_).mul(P).mul(c)
    dQ = torch.bmm(dS, K)
    dK = torch.bmm(dS.transpose(1, 2), Q)
    return dQ.view_as(query), dK.view_as(key), dV.view_as(value)
