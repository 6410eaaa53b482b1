import math

import torch


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    # S = τ Q Kᵀ,  P = softmax S,  O = P V
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value, grad_output = (x.float() for x in (query, key, value, grad_output))
    Q, K, V, dO = query, key, value, grad_output
    n, m = Q.shape[-2], K.shape[-2]
    τ = 1 / math.sqrt(Q.shape[-1])

    S = τ * torch.einsum("bhid,bhjd->bhij", Q, K)
    if causal:
        seen = torch.ones(n, m, dtype=torch.bool, device=Q.device).tril(m - n)
        S = torch.where(seen, S, -torch.inf)
    P = torch.softmax(S, dim=-1)

    dV = torch.einsum("bhij,bhie->bhje", P, dO)
    dP = torch.einsum("bhie,bhje->bhij", dO, V)
    δ = torch.einsum("bhij,bhij->bhi", P, dP)
    dS = P * (dP - δ[..., None])
    dQ = τ * torch.einsum("bhij,bhjd->bhid", dS, K)
    dK = τ * torch.einsum("bhij,bhid->bhjd", dS, Q)
    return dQ.to(dtype), dK.to(dtype), dV.to(dtype)
