import math
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    scale = 1.0 / math.sqrt(query.shape[-1])
    N = query.shape[-2]
    D = (grad_output * output).sum(dim=-1, keepdim=True)
    dQ = torch.zeros_like(query)
    dK = torch.zeros_like(key)
    dV = torch.zeros_like(value)
    rows = torch.arange(N, device=query.device).unsqueeze(1)
    for start in range(0, N, block_size):
        end = min(start + block_size, N)
        Kj, Vj = key[:, :, start:end], value[:, :, start:end]
        S = query @ Kj.transpose(-1, -2) * scale
        if causal:
            S = S.masked_fill(torch.arange(start, end, device=query.device) > rows, -1e4 if S.dtype == torch.float16 else -1e30)
        P = torch.softmax(S, dim=-1)
        dV[:, :, start:end] = P.transpose(-1, -2) @ grad_output
        dP = grad_output @ Vj.transpose(-1, -2)
        dS = P * (dP - D) * scale
        dQ += dS @ Kj
        dK[:, :, start:end] = dS.transpose(-1, -2) @ query
    return dQ, dK, dV
