import math
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    B, H, N, d = query.shape
    scale = 1 / math.sqrt(d)
    dQ = torch.zeros_like(query)
    dK = torch.zeros_like(key)
    dV = torch.zeros_like(value)
    q_idx = torch.arange(N, device=query.device)

    for j0 in range(0, N, block_size):
        j1 = min(j0 + block_size, N)
        Kj, Vj = key[:, :, j0:j1], value[:, :, j0:j1]
        S = query @ Kj.transpose(-2, -1) * scale
        if causal:
            k_idx = torch.arange(j0, j1, device=query.device)
            S = S.masked_fill(k_idx[None, :] > q_idx[:, None], float("-inf"))
        P = torch.exp(S - lse.unsqueeze(-1))
        dV[:, :, j0:j1] = P.transpose(-2, -1) @ grad_output
        dP = grad_output @ Vj.transpose(-2, -1)
        D = (P * dP).sum(dim=-1, keepdim=True)
        dS = P * (dP - D)
        dQ += dS @ Kj * scale
        dK[:, :, j0:j1] = dS.transpose(-2, -1) @ query * scale
    return dQ, dK, dV
