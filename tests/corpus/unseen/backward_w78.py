import math
import torch
import torch.nn.functional as F


def attention_backward(query, key, value, grad_output, causal=False):
    d = query.size(-1)
    Tq, Tk = query.size(-2), key.size(-2)
    S = query @ key.transpose(-2, -1) / math.sqrt(d)
    if causal:
        mask = torch.ones(Tq, Tk, dtype=torch.bool, device=query.device).tril(Tk - Tq)
        S = S.masked_fill(~mask, float("-inf"))
    P = F.softmax(S, dim=-1)
    dV = P.transpose(-2, -1) @ grad_output
    dP = grad_output @ value.transpose(-2, -1)
    dS = P * dP
    dQ = dS @ key / math.sqrt(d)
    dK = dS.transpose(-2, -1) @ query / math.sqrt(d)
    return dQ, dK, dV
