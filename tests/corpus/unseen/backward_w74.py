import math
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    d = query.size(-1)
    scale = 1.0 / math.sqrt(d)
    Lq, Lk = query.size(-2), key.size(-2)

    # forward
    S = query @ key.transpose(-2, -1) * scale
    if causal:
        mask = torch.ones(Lq, Lk, dtype=torch.bool, device=query.device).tril(Lk - Lq)
        S = S.masked_fill(~mask, float("-inf"))
    P = torch.softmax(S, dim=-1)

    # backward
    dV = P.transpose(-2, -1) @ grad_output
    dP = grad_output @ value.transpose(-2, -1)
    dS = P * dP
    dQ = dS @ key * scale
    dK = dS.transpose(-2, -1) @ query * scale
    return dQ, dK, dV
