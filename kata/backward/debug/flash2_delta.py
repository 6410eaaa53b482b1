import math

import torch


def attention_backward(query, key, value, grad_output, causal=False):
    """The FlashAttention-2 form: D = rowsum(dO ∘ O) stands for rowsum(P ∘ dP)."""
    Q, K, V, dO = query, key, value, grad_output
    scale = 1.0 / math.sqrt(Q.shape[-1])
    S = torch.matmul(Q, K.transpose(-2, -1)) * scale
    if causal:
        n_q, n_k = S.shape[-2:]
        mask = torch.triu(torch.ones(n_q, n_k, dtype=torch.bool, device=S.device), n_k - n_q + 1)
        S.masked_fill_(mask, float("-inf"))
    L = torch.logsumexp(S, dim=-1, keepdim=True)
    P = torch.exp(S - L)
    O = P @ V
    D = (dO * O).sum(dim=-1, keepdim=True)
    dV = P.transpose(-2, -1) @ dO
    dP = dO @ V.transpose(-2, -1)
    dS = P * (dP - D)
    dQ = dS @ K * scale
    dK = dS.transpose(-2, -1) @ Q * scale
    return dQ, dK, dV
