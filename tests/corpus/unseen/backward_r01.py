# attn-kata: backward
from __future__ import annotations

import math

import torch
from torch import Tensor


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """FlashAttention-2, algorithm 2, without the tiles: L and D are kept per row."""
    acc = torch.promote_types(query.dtype, torch.float32)
    Q, K, V, dO = (t.to(acc) for t in (query, key, value, grad_output))
    scale = 1.0 / math.sqrt(Q.shape[-1])

    # recompute the forward pass from its log-sum-exp
    S = torch.einsum("bhid,bhjd->bhij", Q, K) * scale
    if causal:
        M, N = S.shape[-2:]
        keep = torch.ones(M, N, dtype=torch.bool, device=S.device).tril(N - M)
        S = torch.where(keep, S, S.new_tensor(-math.inf))
    L = torch.logsumexp(S, dim=-1, keepdim=True)
    P = torch.exp(S - L)
    O = torch.einsum("bhij,bhjv->bhiv", P, V)
    D = (dO * O).sum(dim=-1, keepdim=True)

    dV = torch.einsum("bhij,bhiv->bhjv", P, dO)
    dP = torch.einsum("bhiv,bhjv->bhij", dO, V)
    dS = P * (dP - D) * scale
    dQ = torch.einsum("bhij,bhjd->bhid", dS, K)
    dK = torch.einsum("bhij,bhid->bhjd", dS, Q)
    return dQ.to(query.dtype), dK.to(key.dtype), dV.to(value.dtype)
