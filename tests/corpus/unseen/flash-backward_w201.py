from __future__ import annotations

import math

import torch
from torch import Tensor

ROWS = 32  # queries per tile


@torch.no_grad()
def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    real = torch.promote_types(query.dtype, torch.float32)
    N, d = query.shape[-2:]
    scale = 1.0 / math.sqrt(d)
    dQ = torch.zeros(query.shape, dtype=real, device=query.device)
    dK = torch.zeros(key.shape, dtype=real, device=query.device)
    dV = torch.zeros(value.shape, dtype=real, device=query.device)

    # D_i = sum_c dO_ic O_ic
    D = (grad_output.to(real) * output.to(real)).sum(dim=-1, keepdim=True)
    L = lse.to(real).unsqueeze(-1)

    for i in range(0, N, ROWS):
        I = slice(i, min(i + ROWS, N))
        Qi = query[:, :, I].to(real)
        dOi = grad_output[:, :, I].to(real)
        for j in range(0, N, block_size):
            if causal and j > i:
                break  # the rest lies in the future
            J = slice(j, min(j + block_size, N))
            Kj = key[:, :, J].to(real)
            Vj = value[:, :, J].to(real)
            S = scale * (Qi @ Kj.transpose(-1, -2)) - L[:, :, I]
            if causal:
                t = torch.arange(I.start, I.stop, device=S.device)
                s = torch.arange(J.start, J.stop, device=S.device)
                S = S.masked_fill(s[None, :] > t[:, None], -math.inf)
            P = torch.exp(S)
            dV[:, :, J] += P.transpose(-1, -2) @ dOi
            dS = P * (dOi @ Vj.transpose(-1, -2) - D[:, :, I])
            dQ[:, :, I] += scale * (dS @ Kj)
            dK[:, :, J] += scale * (dS.transpose(-1, -2) @ Qi)

    return dQ.to(query.dtype), dK.to(key.dtype), dV.to(value.dtype)
