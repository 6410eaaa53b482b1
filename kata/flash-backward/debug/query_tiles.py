import math

import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    T = query.shape[2]
    c = math.sqrt(query.shape[3])
    dQ, dK, dV = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    for j in range(0, T, block_size):
        Kj, Vj = key[:, :, j:j + block_size], value[:, :, j:j + block_size]
        for i in range(0, T, block_size):
            Qi = query[:, :, i:i + block_size]
            dOi = grad_output[:, :, i:i + block_size]
            Di = (dOi * output[:, :, i:i + block_size]).sum(-1, keepdim=True)
            Li = lse[:, :, i:i + block_size].unsqueeze(-1)
            Sij = Qi @ Kj.mT / c
            if causal:
                qpos = torch.arange(i, i + Qi.shape[2], device=query.device)
                kpos = torch.arange(j, j + Kj.shape[2], device=query.device)
                Sij = Sij.masked_fill(kpos[None, :] > qpos[:, None], float("-inf"))
            Pij = torch.exp(Sij - Li)
            dV[:, :, j:j + block_size] += Pij.mT @ dOi
            dPij = dOi @ Vj.mT
            dSij = Pij * (dPij - Di)
            dQ[:, :, i:i + block_size] += dSij @ Kj / c
            dK[:, :, j:j + block_size] += dSij.mT @ Qi / c
    return dQ, dK, dV
