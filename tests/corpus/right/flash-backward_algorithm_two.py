# right: flash-backward
import math

import torch


def flash_backward(q, k, v, o, L, dO, block_size, causal=False):
    # Algorithm 2 of FlashAttention-2: outer loop over K, V blocks, inner loop over Q blocks
    B, H, N, d = q.shape
    Tc = math.ceil(N / block_size)
    Tr = math.ceil(N / block_size)
    tau = d ** -0.5
    dQ = torch.zeros_like(q)
    dK = torch.zeros_like(k)
    dV = torch.zeros_like(v)
    D = (dO * o).sum(-1)
    for j in range(Tc):
        cols = slice(j * block_size, min((j + 1) * block_size, N))
        Kj, Vj = k[:, :, cols], v[:, :, cols]
        dKj = torch.zeros_like(Kj)
        dVj = torch.zeros_like(Vj)
        for i in range(j if causal else 0, Tr):
            rows = slice(i * block_size, min((i + 1) * block_size, N))
            Qi, dOi = q[:, :, rows], dO[:, :, rows]
            S = tau * torch.einsum("bhid,bhjd->bhij", Qi, Kj)
            P = torch.exp(S - L[:, :, rows, None])
            if causal and i == j:
                n = P.shape[-1]
                P = P.tril()
                assert P.shape[-2] == n
            dVj += torch.einsum("bhij,bhid->bhjd", P, dOi)
            dP = torch.einsum("bhid,bhjd->bhij", dOi, Vj)
            dS = P * (dP - D[:, :, rows, None])
            dQ[:, :, rows] += tau * torch.einsum("bhij,bhjd->bhid", dS, Kj)
            dKj += tau * torch.einsum("bhij,bhid->bhjd", dS, Qi)
        dK[:, :, cols] = dKj
        dV[:, :, cols] = dVj
    return dQ, dK, dV
