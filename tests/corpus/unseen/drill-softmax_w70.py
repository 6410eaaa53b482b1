from __future__ import annotations

import torch
from torch import Tensor

NEG_INF = -float("inf")


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    B, N, C = x.shape
    M = x.amax(dim, keepdim=True)
    assert M.shape[dim] == 1
    E = torch.exp(torch.sub(x, M))
    P = torch.div(E, E.sum(dim, keepdim=True))
    assert P.shape == (B, N, C)
    return P


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    B, N, C = x.shape
    M = x.amax(dim, keepdim=True)
    assert M.shape[dim] == 1
    Z = torch.exp(torch.sub(x, M)).sum(dim, keepdim=True)
    return torch.add(M, torch.log(Z)).squeeze()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    B, H, Q, K = scores.shape
    LIVE = mask.ne(0).broadcast_to(B, H, Q, K)
    M = torch.where(LIVE, scores, NEG_INF).amax(3, keepdim=True)
    M = torch.where(M.isneginf(), 0.0, M)
    E = torch.exp(torch.where(LIVE, scores - M, NEG_INF))
    Z = E.sum(3, keepdim=True)
    P = E / torch.where(Z.eq(0), 1.0, Z)
    assert P.shape == (B, H, Q, K)
    return P
