# attn-kata: backward
import math

import torch
from torch import Tensor

BLOCK_N = 64  # keys held in "SRAM" at a time


def attention_backward(query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False):
    Tq, Tk, d = query.size(-2), key.size(-2), query.size(-1)
    sm_scale = 1 / math.sqrt(d)

    # row statistics of the forward pass
    S = query @ key.mT * sm_scale
    if causal:
        i = torch.arange(Tk - Tq, Tk, device=S.device).view(-1, 1)
        j = torch.arange(Tk, device=S.device).view(1, -1)
        S.masked_fill_(j > i, -torch.inf)
    L = S.logsumexp(-1, keepdim=True)
    O = (S - L).exp() @ value
    D = (grad_output * O).sum(-1, keepdim=True)

    dQ = torch.zeros_like(query)
    dK = torch.zeros_like(key)
    dV = torch.zeros_like(value)
    n_blocks = max(1, Tk // BLOCK_N)
    for b in range(n_blocks):
        cols = slice(b * BLOCK_N, min((b + 1) * BLOCK_N, Tk))
        Kj, Vj = key[:, :, cols], value[:, :, cols]
        Pij = torch.exp(S[..., cols] - L)
        dV[:, :, cols] += Pij.mT @ grad_output
        dPij = grad_output @ Vj.mT
        dSij = Pij * (dPij - D) * sm_scale
        dQ += dSij @ Kj
        dK[:, :, cols] += dSij.mT @ query
    return dQ, dK, dV
