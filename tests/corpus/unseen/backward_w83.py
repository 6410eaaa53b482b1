import torch
import math


def attention_backward(query, key, value, grad_output, causal=False):
    scale = 1 / math.sqrt(query.size(-1))
    S = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
    if causal:
        nq, nk = S.shape[-2:]
        S = S.masked_fill(torch.ones(nq, nk, device=S.device).triu(nk - nq + 1).bool(), float("-inf"))
    P = S.softmax(-1)
    dV = torch.einsum("bhqk,bhqd->bhkd", P, grad_output)
    dP = torch.einsum("bhqd,bhkd->bhqk", grad_output, value)
    PdP = P * dP
    dS = PdP - P * PdP.sum(-2, keepdim=True)
    dQ = torch.einsum("bhqk,bhkd->bhqd", dS, key) * scale
    dK = torch.einsum("bhqk,bhqd->bhkd", dS, query) * scale
    return dQ, dK, dV
