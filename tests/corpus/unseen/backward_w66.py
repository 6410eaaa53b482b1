# attn-kata: backward
# Notation follows the paper, appendix B.2: S, P, dP, dS.
from __future__ import annotations

import math

from torch import Tensor, arange, einsum


def stable_softmax(S: Tensor) -> Tensor:
    shifted = S - S.max()
    E = shifted.exp()
    return E / E.sum(dim=-1, keepdim=True)


def causal_bias(S: Tensor) -> Tensor:
    n_q, n_k = S.shape[-2:]
    own = arange(n_q, device=S.device) + (n_k - n_q)
    return S.masked_fill(arange(n_k, device=S.device) > own[:, None], -math.inf)


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    root = math.sqrt(query.shape[-1])
    S = einsum("...id,...jd->...ij", query, key).div(root)
    if causal:
        S = causal_bias(S)
    P = stable_softmax(S)

    dV = einsum("...ij,...ie->...je", P, grad_output)
    dP = einsum("...ie,...je->...ij", grad_output, value)
    PdP = P * dP
    dS = PdP - P * PdP.sum(-1, keepdim=True)
    dQ = einsum("...ij,...jd->...id", dS, key).div(root)
    dK = einsum("...ij,...id->...jd", dS, query).div(root)
    return dQ, dK, dV
